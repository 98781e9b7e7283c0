package peer

import "fmt"

// A refusal is why a library does not do what it is asked for. It ends what is being made of the
// library by a panic, which [refused] makes an error.
type refusal struct{ error }

func refuse(format string, args ...any) { panic(refusal{fmt.Errorf(format, args...)}) }

// must refuses if a function of C returned another status than 0. Behind it may stand what that says.
func must(call string, status int32, meaning ...any) {
	if status != 0 {
		refuse("%s returned %d%s", call, status, fmt.Sprint(meaning...))
	}
}

// refused makes a refusal that the caller panicked with the error that it returns.
func refused(err *error) {
	switch x := recover().(type) {
	case nil:
	case refusal:
		*err = x.error
	default:
		panic(x)
	}
}
