// Sums of products of pairs of blocks by libxsmm, over and over, without Go. Compiled by
// loop.go together with loop.c; blocks.go has the struct too.
#include <string.h>

#define MOST 64

struct blocks {
	void *function;
	const void *a, *b; // the first block, or addresses of all
	const void *offsetsA, *offsetsB; // in bytes, of 64 bits
	void *c;
	uint64_t count, addresses; // at most MOST of them
};

// column-major: the factors change places. A kernel that is given addresses leaves others in
// their place, so that each call has its own.
void peer_blocks_xsmm(const struct blocks *p, int64_t times) {
	struct xsmm x = {{0}};
	uint64_t count = p->count;
	const void *a[MOST], *b[MOST];
	x.op[2] = &count;
	x.a[0] = p->b;
	x.a[1] = p->offsetsB;
	x.b[0] = p->a;
	x.b[1] = p->offsetsA;
	x.c[0] = p->c;
	for (int64_t t = 0; t < times; t++) {
		if (p->addresses) {
			memcpy(a, p->b, count * sizeof *a);
			memcpy(b, p->a, count * sizeof *b);
			x.a[0] = a;
			x.b[0] = b;
		}
		((void (*)(const struct xsmm *))p->function)(&x);
	}
}
