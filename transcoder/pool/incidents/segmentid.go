package incidents

import (
	"crypto/sha256"
	"fmt"

	"github.com/tuttinode/tutti/core"
)

// sum identifies a segment, a stream or a sender in a fixed number of bytes, because peers
// choose names of any length.
type sum [sha256.Size]byte

// Segment identifies a segment, its stream and its sender in the record.
type Segment struct {
	// job is nil after Seal.
	job            *core.TranscodeJob
	known          bool
	sender, stream sum
	// input is the hash of the segment's bytes, order of these and the requested profiles.
	input, order sum
	named        bool
}

// SegmentOf returns the segment of a job. It computes no hash before the first lookup.
func SegmentOf(job *core.TranscodeJob) *Segment { return &Segment{job: job, known: job.Party != ""} }

// name computes the sums of stream and sender.
func (w *Segment) name() {
	if w.named || w.job == nil {
		return
	}
	w.named = true
	w.sender = sha256.Sum256([]byte(w.job.Party))
	w.stream = sha256.Sum256(fmt.Appendf(nil, "%q %q", w.job.Party, w.job.Manifest))
}

// digest computes the sums of the segment.
func (w *Segment) digest() {
	if w.job == nil || w.input != (sum{}) {
		return
	}
	j := w.job
	w.input = sha256.Sum256(j.Input)
	order := fmt.Appendf(w.input[:len(w.input):len(w.input)], "%v %v", j.Profiles, j.Signature)
	if j.Clip != nil {
		order = fmt.Appendf(order, " %v %v", j.Clip.From, j.Clip.To)
	}
	w.order = sha256.Sum256(order)
}

// Seal computes all hashes and drops the job, so that the record does not keep the segment's
// bytes.
func (w *Segment) Seal() {
	w.name()
	w.digest()
	w.job = nil
}
