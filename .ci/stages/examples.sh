# examples: the module gen/examples, whose tests are generated with its kernels.

stage_examples() { gotest ./gen/examples/...; }
