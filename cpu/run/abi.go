package run

// ABI8 is the version of the contract between generated code and the packages that it
// imports. Every generated file refers to it. If a build says that run.ABI7 or another is
// undefined, an older generator made the file, so run go generate again.
const ABI8 = 8
