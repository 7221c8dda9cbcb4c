package ingest

import "github.com/datarhei/gosrt"

const (
	// maxSRTWork bounds the packets that the library looks at for a client at once, and workPerLook those of each look
	// further. It looks at a hundred million in a second or so.
	maxSRTWork, workPerLook = 64 << 20, 2 << 20
)

// srtWork is what a client makes the library do: for each packet that comes again, or later than one that follows it,
// the library goes through what it keeps of the client. There are no more of those than were missed or dropped.
type srtWork struct {
	late, spent uint64
}

// tooMuch looks at a client again. It reports whether it makes too much work.
func (w *srtWork) tooMuch(now *srt.Statistics) bool {
	late := now.Accumulated.PktRecvDrop + now.Accumulated.PktRecvLoss
	w.spent -= min(w.spent, workPerLook)
	w.spent += (late - w.late) * now.Instantaneous.PktRecvBuf
	w.late = late
	return w.spent > maxSRTWork
}
