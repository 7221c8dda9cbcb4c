package chatface

// valueBytes is what a value of a JSON text comes to in memory at most when it is mapped, besides its own bytes:
// an element of a list that has no fields is a whole structure.
const valueBytes = 256

// values counts the values of a JSON text at most: those of lists and objects, one more for each of these.
func values(text []byte) (n int64) {
	in, escaped := false, false
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
		case in:
			in, escaped = c != '"', c == '\\'
		case c == '"':
			in = true
		case c == ',' || c == '{' || c == '[':
			n++
		}
	}
	return n
}

// mapped is the memory that mapping a JSON text takes besides it, in bytes.
func mapped(text []byte) int64 { return valueBytes * values(text) }
