package batch

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"sync"
	"time"
)

// job is a batch in this process. What its record says is on disk too.
type job struct {
	account *account
	// saving orders the writes of the record.
	saving sync.Mutex
	// reading guards offset, skipped and retry.
	reading sync.Mutex
	// offset is where the next unread line begins, skipped the number of lines before it.
	offset  int64
	skipped int
	// retry are lines that failed and run again.
	retry []*line
	// appending guards the files of answers.
	appending sync.Mutex
	// stop is closed when no further line may start.
	stop chan struct{}

	// record and what follows is guarded by Server.mu.
	record
	// foreign: the previous process has it.
	foreign bool
	// busy: it is being validated or finished.
	busy bool
	// halted: stop is closed.
	halted bool
	// done has the lines with an answer on disk.
	done lineSet
	// left is how many lines may be started, running how many are in progress.
	left, running int
	// rests is the end of the pause in which no line starts, wait the length of the last pause.
	rests time.Time
	wait  time.Duration
	// endsAfter is when the batch retries to store its end.
	endsAfter time.Time
}

func newJob(r record, a *account) *job { return &job{record: r, account: a, stop: make(chan struct{})} }

// haltLocked starts no further line. The batch ends in a state once its lines have answers.
func (j *job) haltLocked(end state) {
	if j.End == "" {
		j.End = end
	}
	j.closeLocked()
}

// closeLocked releases the lines that wait for their turn.
func (j *job) closeLocked() {
	if !j.halted {
		j.halted = true
		close(j.stop)
	}
}

// restLocked pauses the batch after a line that found no capacity.
func (j *job) restLocked(now time.Time, first, asked time.Duration) {
	if j.rests.After(now) {
		return
	}
	j.wait = min(max(2*j.wait, first), maxRest)
	j.rests = now.Add(max(j.wait, min(asked, maxRest)))
}

// maxRest is the longest pause.
const maxRest = time.Minute

// IDs are a prefix and random hex digits.
const (
	batchPrefix = "batch_"
	filePrefix  = "file-"
	linePrefix  = "batch_req_"
	idDigits    = 32
)

// isID reports whether an ID may be one of ours, so that it may be part of a file's name.
func isID(id, prefix string) bool {
	digits, ok := strings.CutPrefix(id, prefix)
	return ok && len(digits) == idDigits && strings.Trim(digits, "0123456789abcdef") == ""
}

// lockOffset is the byte of the lock file that locks a batch.
func lockOffset(id string) int64 {
	b, _ := hex.DecodeString(id[len(batchPrefix):][:16]) // isID has checked it
	return int64(binary.BigEndian.Uint64(b) >> 2)
}

// lineID names a line of the batch, in its file of answers and as the request's ID.
func (r *record) lineID(ordinal int) string {
	return linePrefix + r.ID[len(batchPrefix):] + "_" + strconv.Itoa(ordinal)
}

// ordinalOf returns the ordinal in the ID at the beginning of an answer's line; 0 where there is none.
func ordinalOf(text []byte) int {
	const begin = `{"id":"` + linePrefix
	rest, ok := strings.CutPrefix(string(text[:min(len(text), len(begin)+idDigits+16)]), begin)
	if !ok {
		return 0
	}
	id, _, ok := strings.Cut(rest, `"`)
	_, number, found := strings.Cut(id, "_")
	n, err := strconv.Atoi(number)
	if !ok || !found || err != nil || n < 1 {
		return 0
	}
	return n
}

// lineSet is a set of ordinals.
type lineSet struct {
	bits  []uint64
	count int
}

func (s *lineSet) has(n int) bool { return n/64 < len(s.bits) && s.bits[n/64]&(1<<(n%64)) != 0 }

func (s *lineSet) add(n int) {
	for n/64 >= len(s.bits) {
		s.bits = append(s.bits, 0)
	}
	if !s.has(n) {
		s.bits[n/64] |= 1 << (n % 64)
		s.count++
	}
}
