// Package mtx reads and writes matrices in files. It knows Matrix Market (.mtx),
// Harwell-Boeing and Rutherford-Boeing (.rua, .rb; read only) and SciPy's sparse matrices
// (.npz). It also knows the sparse patterns of the Deep Learning Matrix Collection (.smtx)
// and NumPy arrays (.npy).
//
// Start with Read, which visits the entries of a Matrix Market file one by one, and
// NewWriter. Open recognises the first three formats by their first bytes. NewReader,
// NewHB and NewNPZ are for callers that need the size before the entries. ReadSMTX and
// ReadNPY read the other two formats. All readers of text recognise and unpack gzip.
//
// # What is accepted
//
// The readers accept line 1 in upper or lower case, then the standard (Boisvert, Pozo,
// Remington: The Matrix Market Exchange Formats, NISTIR 5935, 1996). That is coordinate
// and array; real, integer, complex and pattern; general, symmetric, skew-symmetric and
// hermitian, in the combinations that make sense. They also accept blank lines, comments
// and lines ended by "\r\n" anywhere, and leading and trailing blanks. A triangle above
// the diagonal may stand in place of the one below, but not both. After a comment
// "%%GraphBLAS type T" before the size line, values must be values of T.
//
// Numbers are those of strconv.ParseFloat, to the bit, without its 0x10 and 1_0, and
// with Fortran's 1.0D+03. "inf", "infinity" and "nan", with or without sign and in any
// case, are numbers; 1e400 is refused. Values of an integer matrix, or of SciPy's
// unsigned-integer, are digits. They must be integers that float64 represents exactly,
// unless VisitInteger or VisitWhole reads them or Options.Lenient rounds them. Like SciPy,
// Lenient also accepts values after the coordinates of a pattern, which it leaves out. It
// accepts symmetries that values or the diagonal do not have.
//
// # Errors and limits
//
// An *Error says the file, the line and the column in bytes, what is wrong and what
// would be right. No text makes a reader panic. A reader never allocates what a file only
// promises: memory grows with what is read. Options bounds sizes, the number of entries,
// the length of a line, the bytes, and what gzip may unpack to. Errors that a larger limit
// would avoid have ErrLimit in their chain. Read itself holds one line and the comments; if
// you build a matrix of Header.Rows rows, you allocate it. By default rows are at most
// 1<<22, or 4 times the entries in the file where that is more.
//
// A hostile file can make a reader allocate this much in all, freed or not, which bounds
// what it holds at a time:
//
//	files.ReadMatrixMarket    18 MiB and  80 bytes for each byte of text
//	files.Read of .rua, .rb   18 MiB and 160 bytes for each byte of text
//	files.Read of an .npz     18 MiB and 100 bytes for each byte of its arrays, 16 for each of the file
//	ReadNPY, ReadRawNPY       256 KiB and   8 bytes for each byte of text
//	ReadSMTX                  256 KiB and  16 bytes for each byte of text
//
// Matrices of complex128 take half as much again, files.ReadPattern takes less. A text, or
// all arrays of an archive together, may unpack to 1 MiB, or to 200 bytes for each byte of
// the file if that is more (see MaxRatio). Gzip within gzip is not text. So a file of a few
// bytes can cost ReadMatrixMarket 98 MiB. A file of n bytes, above 5 KiB, can cost 18 MiB and
// 16,000 n. MaxBytes bounds text of both kinds.
package mtx
