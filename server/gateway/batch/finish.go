package batch

import (
	"bytes"
	"errors"
	"io"
	"os"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

const (
	// piece is how much is written at once of lines without an answer, in bytes.
	piece = 256 << 10
	// endAgain is when the end of a batch is tried again that could not be stored.
	endAgain = time.Minute
)

// finish ends a batch: each line without an answer gets one that says why, and the files become
// visible. What fails is tried again.
func (s *Server) finish(j *job) {
	defer s.poke()
	err := s.finishAll(j)
	s.mu.Lock()
	defer s.mu.Unlock()
	j.busy = false
	if err != nil {
		s.opt.Log.Warn("a batch cannot be finished; it is tried again", "batch", j.ID, fault.Attr(err))
		j.endsAfter = s.opt.Now().Add(endAgain)
	}
	if !j.Status.ended() {
		s.releaseLocked(j)
	}
}

func (s *Server) finishAll(j *job) error {
	s.mu.Lock()
	end := j.End
	if j.Status == inProgress && end != cancelled {
		j.enter(finalizing, s.opt.Now())
	}
	s.mu.Unlock()
	if err := s.save(j); err != nil {
		return err
	}
	if err := s.refuseRest(j, end); err != nil {
		return diskFault("finish batch", err)
	}
	var files []*file
	for _, id := range []string{j.Out, j.Err} {
		f, err := s.answersFile(j, id)
		if err != nil {
			return err
		}
		if f != nil {
			files = append(files, f)
		}
	}
	return s.end(j, end, files)
}

// end stores a batch as ended, and makes its files known with it.
func (s *Server) end(j *job, end state, files []*file) error {
	j.saving.Lock()
	defer j.saving.Unlock()
	s.mu.Lock()
	last := j.record
	s.mu.Unlock()
	reserved := last.Reserved
	last.Reserved = 0
	for _, f := range files {
		if f.ID == j.Out {
			last.OutputFileID = &f.ID
		} else {
			last.ErrorFileID = &f.ID
		}
	}
	last.enter(end, s.opt.Now())
	if err := s.write(&last); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range files {
		j.account.files[f.ID] = f
		s.addLocked(j.account, overhead) // the content counts already
	}
	s.addLocked(j.account, -reserved)
	j.record = last
	s.tally.ended[string(end)]++
	s.endLocked(j)
	return nil
}

// answersFile makes a file of answers visible; nil where there are none.
func (s *Server) answersFile(j *job, id string) (*file, error) {
	info, err := os.Stat(s.dataOf(id))
	if errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, diskFault("finish batch", err)
	}
	name := j.ID + "_output.jsonl"
	if id == j.Err {
		name = j.ID + "_error.jsonl"
	}
	now := s.opt.Now().Unix()
	f := &file{ID: id, Owner: j.Owner, Name: name, Purpose: purposeOutput, Bytes: info.Size(), Created: now,
		Expires: now + j.OutputSeconds}
	return f, s.saveFile(f)
}

// rest is what lines without an answer say, by the end of their batch. Read-only.
var rest = map[state]resultError{
	expired:   {"batch_expired", "This request could not be executed before the completion window expired."},
	cancelled: {"batch_cancelled", "This request was not executed: the batch was cancelled."},
	failed:    {"batch_failed", "This request was not executed: the batch failed."},
	completed: {"batch_failed", "This request was not executed."},
}

// refuseRest gives the lines of a valid file an answer that have none.
func (s *Server) refuseRest(j *job, end state) error {
	s.mu.Lock()
	total, left := j.Counts.Total, j.Counts.Total-j.done.count
	s.mu.Unlock()
	if left <= 0 {
		return nil
	}
	f, err := os.Open(s.dataOf(j.InputFileID))
	if err != nil {
		return err
	}
	defer f.Close()
	in := newLineReader(f, s.opt.Limits.Line)
	why := rest[end]
	var out bytes.Buffer
	var added []int
	flush := func() error {
		if err := appendAnswers(s.dataOf(j.Err), out.Bytes()); err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, n := range added {
			j.done.add(n)
		}
		j.Counts.Failed += len(added)
		s.tally.lines[lineNotRun] += int64(len(added))
		s.addLocked(j.account, int64(out.Len()))
		out.Reset()
		added = added[:0]
		return nil
	}
	for in.ordinal < total {
		text, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		s.mu.Lock()
		has := j.done.has(in.ordinal)
		s.mu.Unlock()
		l, err := parseLine(text)
		if has || err != nil {
			continue
		}
		out.Write(encodeAnswer(&resultLine{ID: j.lineID(in.ordinal), CustomID: l.CustomID, Error: &why}))
		added = append(added, in.ordinal)
		if out.Len() >= piece {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if out.Len() == 0 {
		return nil
	}
	return flush()
}
