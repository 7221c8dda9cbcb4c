package batch

import "maps"

// Results of lines in Stats.
const (
	lineCompleted = "completed"
	lineFailed    = "failed"
	lineRetried   = "retried"
	lineNotRun    = "not_run"
)

// Stats are what batches hold at the moment, and did since the process started.
type Stats struct {
	// Batches are those that have not ended, by status; Ended those that did, by their last one.
	Batches, Ended map[string]int64
	// Running are the lines in progress, Waiting those that may be started.
	Running, Waiting int64
	// Lines counts lines by result: completed and failed have an answer, not_run were refused at the end
	// of their batch, and retried were put back because nothing could run them.
	Lines map[string]int64
	// Bytes is the storage in use, Storage what there is.
	Bytes, Storage int64
}

// tally is what Stats are made of. Guarded by Server.mu.
type tally struct {
	// running is the number of lines in progress.
	running int
	lines   map[string]int64
	ended   map[string]int64
}

// Stats returns the figures of this moment. Batches of the previous process count here once
// this one has taken them over.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Stats{
		Batches: map[string]int64{string(validating): 0, string(inProgress): 0, string(finalizing): 0,
			string(cancelling): 0},
		Ended: maps.Clone(s.tally.ended), Running: int64(s.tally.running), Lines: maps.Clone(s.tally.lines),
		Bytes: s.bytes, Storage: s.opt.Limits.Storage,
	}
	for _, j := range s.active {
		if !j.foreign {
			out.Batches[string(j.Status)]++
			out.Waiting += int64(j.left)
		}
	}
	return out
}
