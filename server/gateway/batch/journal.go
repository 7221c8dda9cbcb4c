package batch

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/privatefile"
)

const (
	dataSuffix = ".data"
	metaSuffix = ".json"
	partSuffix = ".part"
	mode       = 0o600
)

func (s *Server) path(name string) string { return filepath.Join(s.opt.Dir, name) }

// dataOf is where a file's content is.
func (s *Server) dataOf(file string) string { return s.path(file + dataSuffix) }

// appendAnswers appends whole lines to a file of answers, and returns when they are on disk. After
// an error the file is as it was before.
func appendAnswers(path string, text []byte) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Truncate(info.Size()))
	}
	if info.Size() == 0 {
		return privatefile.SyncDir(filepath.Dir(path))
	}
	return nil
}

// readAnswers adds to done the lines that have an answer in a file, cuts an answer off that is not
// whole, and returns the file's size and number of lines. A file that is not there is empty.
func readAnswers(path string, done *lineSet) (size int64, lines int, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, mode)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in := bufio.NewReaderSize(f, 64<<10)
	read, beginning := int64(0), true
	first := 0
	for {
		part, err := in.ReadSlice('\n')
		read += int64(len(part))
		if beginning && len(part) > 0 {
			first = ordinalOf(part)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			beginning = false
			continue
		case errors.Is(err, io.EOF):
			if read > size {
				err = f.Truncate(size)
			} else {
				err = nil
			}
			return size, lines, err
		case err != nil:
			return size, lines, err
		}
		beginning, size, lines = true, read, lines+1
		if first > 0 {
			done.add(first)
		}
	}
}

// encodeAnswer returns a line of a file of answers.
func encodeAnswer(r *resultLine) []byte {
	b, err := json.Marshal(r)
	if err != nil { // the body is no JSON
		r.Response, r.Error = nil, &resultError{string(fault.AnswerUnreadable), "the answer is not JSON"}
		b, _ = json.Marshal(r) // texts cannot fail
	}
	return append(b, '\n')
}

// save writes a batch's record.
func (s *Server) save(j *job) error {
	j.saving.Lock()
	defer j.saving.Unlock()
	s.mu.Lock()
	r := j.record
	s.mu.Unlock()
	return s.write(&r)
}

func (s *Server) write(r *record) error {
	b, err := json.Marshal(r)
	if err == nil {
		err = privatefile.Replace(s.path(r.ID+metaSuffix), b)
	}
	return diskFault("store batch", err)
}

// saveFile writes what is known of a file, which makes it visible.
func (s *Server) saveFile(f *file) error {
	b, err := json.Marshal(f)
	if err == nil {
		err = privatefile.Replace(s.path(f.ID+metaSuffix), b)
	}
	return diskFault("store file", err)
}

// removeFile deletes a file, and first what makes it visible.
func (s *Server) removeFile(id string) error {
	err := os.Remove(s.path(id + metaSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return err
	}
	if err = os.Remove(s.dataOf(id)); errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// readJSON reads what Replace wrote.
func readJSON(path string, v any) error {
	const most = 1 << 20
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	return nil
}

// diskFault is the fault of a failed write.
func diskFault(op string, err error) error {
	if err == nil {
		return nil
	}
	return fault.WrapWrite(fault.BatchStoreFailed, op, err)
}
