package worker

// MaxEncoders bounds how many encoders may be asked for and found.
const MaxEncoders = 1024

// EncodeCount makes the message of a number of encoders: how many may be tried,
// or how many there were.
func EncodeCount(n int) []byte {
	var e encoder
	e.num(int64(min(max(n, 0), MaxEncoders)))
	return e.b
}

// DecodeCount reads a number of encoders.
func DecodeCount(b []byte) (int, error) {
	d := decoder{b: b}
	n := int(d.within("a number of encoders", 0, MaxEncoders))
	return n, d.end()
}
