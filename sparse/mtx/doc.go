// Package mtx reads and writes matrices in files: Matrix Market (.mtx), Harwell-Boeing and
// Rutherford-Boeing (.rua, .rb; read only), SciPy's sparse matrices (.npz), the sparse
// patterns of the Deep Learning Matrix Collection (.smtx) and NumPy arrays (.npy).
//
// Start with Read, which visits the entries of a Matrix Market file one by one, and
// NewWriter; or with Open, which takes what is one of the first three by its first bytes.
// NewReader, NewHB and NewNPZ are for callers that need the size before the entries,
// ReadSMTX and ReadNPY read the other two formats. All readers of text unpack gzip, which
// they know by its first bytes.
//
// # What is accepted
//
// Line 1, in any case, and then what the standard says (Boisvert, Pozo, Remington:
// The Matrix Market Exchange Formats, NISTIR 5935, 1996): coordinate and array; real,
// integer, complex and pattern; general, symmetric, skew-symmetric and hermitian, in
// the combinations that make sense. Beyond it: blank lines, comments and lines ended
// by "\r\n" anywhere, leading and trailing blanks, and a triangle above the diagonal in
// place of the one below, but not both. A comment "%%GraphBLAS type T" before the size
// line is honoured: values must be values of T.
//
// Numbers are those of strconv.ParseFloat, to the bit, without its 0x10 and 1_0, and
// with Fortran's 1.0D+03. "inf", "infinity" and "nan", with or without sign and in any
// case, are numbers; 1e400 is refused. The values of an integer matrix, or of one that is
// unsigned-integer as SciPy writes it, are digits, and must be integers that float64 has
// exactly, unless VisitInteger or VisitWhole reads them or Options.Lenient rounds them. Lenient also
// takes what else SciPy takes: values behind the coordinates of a pattern, which are left
// out, and symmetries that values or the diagonal do not have.
//
// # Errors and limits
//
// An *Error says the file, the line and the column in bytes, what is wrong and what
// would be right. No text makes a reader panic. What a file promises is never
// allocated: memory grows with what is read, and Options bounds sizes, the number of
// entries, the length of a line, the bytes, and how much gzip may unpack to. Errors that
// a larger limit would avoid have ErrLimit in their chain. Read itself holds one line
// and the comments; who builds a matrix of Header.Rows rows allocates that. By default
// rows are at most 1<<22, or 4 times the entries that are in the file where that is more.
//
// What a hostile file can make a reader allocate in all, freed or not, which bounds what
// it holds at a time:
//
//	sparse.ReadMatrixMarket    18 MiB and  80 bytes for each byte of text
//	sparse.Read of .rua, .rb   18 MiB and 160 bytes for each byte of text
//	sparse.Read of an .npz     18 MiB and 100 bytes for each byte of its arrays, 16 for each of the file
//	ReadNPY, ReadRawNPY       256 KiB and   8 bytes for each byte of text
//	ReadSMTX                  256 KiB and  16 bytes for each byte of text
//
// Matrices of complex128 take half as much again, sparse.ReadPattern takes less. Text, or all
// arrays of an archive together, is what the bytes on the disk unpack to, once: 1 MiB, or 200
// bytes for each byte of the file where that is more, see MaxRatio; gzip within gzip is no
// text. So a file of any few bytes can cost ReadMatrixMarket 98 MiB, and one of n bytes, more than
// 5 KiB, 18 MiB and 16,000 n. MaxBytes bounds text of both kinds.
package mtx
