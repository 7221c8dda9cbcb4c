package worker

// ImageMessage is an image to be decoded.
type ImageMessage struct {
	// Place is where it is.
	Place InputPlace
	// Limit is the length of the longest answer, in bytes.
	Limit int64
}

// EncodeImage makes the message of an image to be decoded.
func EncodeImage(i ImageMessage) []byte {
	var e encoder
	e.place(i.Place)
	e.num(i.Limit)
	return e.b
}

// DecodeImage reads it.
func DecodeImage(b []byte) (ImageMessage, error) {
	d := decoder{b: b}
	i := ImageMessage{Place: d.place(), Limit: d.within("a limit", 0, maxResultSize)}
	return i, d.end()
}
