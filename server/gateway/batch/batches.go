package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// Bounds of a request for a batch: its body in bytes, and OpenAI's of its metadata.
const (
	maxCreate     = 64 << 10
	createTime    = 10 * time.Second
	maxPairs      = 16
	maxPairName   = 64
	maxPairValue  = 512
	onlyWindow    = "24h"
	onlyAnchor    = "created_at"
	elsewhereWait = time.Second
)

// order is a client's request for a batch.
type order struct {
	InputFileID      string            `json:"input_file_id"`
	Endpoint         string            `json:"endpoint"`
	CompletionWindow string            `json:"completion_window"`
	Metadata         map[string]string `json:"metadata"`
	Output           *struct {
		Anchor  string      `json:"anchor"`
		Seconds json.Number `json:"seconds"`
	} `json:"output_expires_after"`
}

// create takes a batch.
func (s *Server) create(c *call) error {
	done, err := s.change()
	if err != nil {
		return err
	}
	defer done()
	in, err := readOrder(c)
	if err != nil {
		return err
	}
	f, err := s.fileOf(c.owner, in.InputFileID)
	if err != nil {
		return err
	}
	if f.Purpose != purposeBatch {
		return chatface.Refuse("input_file_id", `the file's purpose is not "batch"`)
	}
	age := s.opt.Limits.Age
	if in.Output != nil {
		if in.Output.Anchor != onlyAnchor {
			return chatface.Refuse("output_expires_after.anchor", `"created_at" was expected`)
		}
		if age, err = s.ageOf(in.Output.Seconds.String(), "output_expires_after.seconds"); err != nil {
			return err
		}
	}
	now := s.opt.Now()
	r := record{Owner: c.owner.String(), OutputSeconds: int64(age / time.Second), batchObject: batchObject{
		Object: "batch", Endpoint: in.Endpoint, InputFileID: f.ID, CompletionWindow: in.CompletionWindow,
		Status: validating, CreatedAt: now.Unix(), ExpiresAt: now.Add(s.opt.Limits.Window).Unix(), Metadata: in.Metadata,
	}}
	for id, prefix := range map[*string]string{&r.ID: batchPrefix, &r.Out: filePrefix, &r.Err: filePrefix} {
		if *id, err = s.newID(prefix); err != nil {
			return err
		}
	}
	return s.begin(c, r)
}

// begin stores a batch and answers.
func (s *Server) begin(c *call, r record) error {
	if ok, err := lockByte(s.locks, lockOffset(r.ID), true); !ok {
		return diskFault("store batch", errors.Join(errors.New("it cannot be locked"), err))
	}
	j, err := s.add(c.owner, r)
	if err != nil {
		_, _ = lockByte(s.locks, lockOffset(r.ID), false)
		return err
	}
	err = s.save(j)
	s.mu.Lock()
	j.busy = false
	if err != nil {
		s.endLocked(j)
		s.forgetLocked(j)
	}
	if s.paused {
		j.closeLocked()
	}
	out := j.client()
	s.mu.Unlock()
	if err != nil {
		return err
	}
	s.poke()
	send(c.w, http.StatusOK, out)
	return nil
}

// add makes a batch known, which nothing is done for before it is on disk.
func (s *Server) add(owner apikeys.Hash, r record) (*job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accountLocked(owner)
	switch {
	case len(a.batches) >= s.opt.Limits.KeyBatches:
		return nil, fault.New(fault.BatchStorageFull, "store batch",
			fmt.Sprintf("this API key has %d batches, and may have no more until the oldest are forgotten", len(a.batches)))
	case a.files[r.InputFileID] == nil: // deleted meanwhile
		return nil, fault.New(fault.FileUnknown, "find file", "this API key has no such file")
	}
	if err := s.takeLocked(owner, overhead); err != nil {
		return nil, err
	}
	j := newJob(r, a)
	j.busy = true
	a.batches[r.ID], s.jobs[r.ID] = j, j
	s.active = append(s.active, j)
	return j, nil
}

// forgetLocked removes a batch that could not be stored.
func (s *Server) forgetLocked(j *job) {
	delete(j.account.batches, j.ID)
	delete(s.jobs, j.ID)
	s.giveLocked(j.account.owner, overhead)
}

// readOrder reads a client's request for a batch.
func readOrder(c *call) (in order, err error) {
	_ = c.control.SetReadDeadline(time.Now().Add(createTime)) // a transport without deadlines has none to set
	b, err := io.ReadAll(io.LimitReader(c.r.Body, maxCreate+1))
	_ = c.control.SetReadDeadline(time.Time{})
	switch {
	case err != nil:
		return in, fault.Wrap(fault.RequestBroken, "read request", err)
	case len(b) > maxCreate:
		return in, fault.New(fault.RequestTooLarge, "read request",
			"the body is over the limit of "+strconv.Itoa(maxCreate)+" bytes")
	case !utf8.Valid(b):
		return in, chatface.Refuse("", "the body is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return in, chatface.Refuse("", "a JSON object with input_file_id, endpoint and completion_window was expected: "+
			plain(err).Error())
	}
	switch {
	case !knownEndpoint(in.Endpoint):
		return in, chatface.Refuse("endpoint", "batches are for "+strings.Join(endpoints, ", "))
	case in.CompletionWindow != onlyWindow:
		return in, chatface.Refuse("completion_window", `"24h" was expected`)
	case len(in.Metadata) > maxPairs:
		return in, chatface.Refuse("metadata", fmt.Sprintf("%d pairs at most were expected", maxPairs))
	}
	for name, value := range in.Metadata {
		if utf8.RuneCountInString(name) > maxPairName || utf8.RuneCountInString(value) > maxPairValue {
			return in, chatface.Refuse("metadata",
				fmt.Sprintf("names of %d and values of %d characters at most were expected", maxPairName, maxPairValue))
		}
	}
	return in, nil
}

// batchLocked returns a batch of a key. One of another key is as unknown as one that there is not.
func (s *Server) batchLocked(owner apikeys.Hash, id string) (*job, error) {
	if j := s.jobs[id]; j != nil && j.account.owner == owner {
		return j, nil
	}
	return nil, fault.New(fault.BatchUnknown, "find batch", "this API key has no such batch")
}

func (s *Server) getBatch(c *call) error {
	s.mu.Lock()
	j, err := s.batchLocked(c.owner, c.r.PathValue("id"))
	if err != nil {
		s.mu.Unlock()
		return err
	}
	out := j.client()
	s.mu.Unlock()
	send(c.w, http.StatusOK, out)
	return nil
}

func (s *Server) listBatches(c *call) error {
	p, err := pageOf(c.r, defaultPage, maxPage)
	if err != nil {
		return err
	}
	var all []listed
	s.mu.Lock()
	if a := s.accounts[c.owner]; a != nil {
		for _, j := range a.batches {
			all = append(all, listed{j.ID, j.CreatedAt, j.client()})
		}
	}
	s.mu.Unlock()
	sortPage(all, p)
	return sendPage(c.w, all, p)
}

// cancelBatch lets no further line of a batch start. Lines in progress get their answers.
func (s *Server) cancelBatch(c *call) error {
	const op = "cancel batch"
	done, err := s.change()
	if err != nil {
		return err
	}
	defer done()
	s.mu.Lock()
	j, err := s.batchLocked(c.owner, c.r.PathValue("id"))
	switch {
	case err != nil:
	case j.Status.ended() || j.End != "" && j.End != cancelled:
		err = fault.New(fault.BatchEnded, op, "the batch has ended, or ends at the moment: it is "+string(j.Status))
	case j.foreign:
		err = fault.After(fault.New(fault.BatchElsewhere, op,
			"lines of this batch are in progress in the previous process"), elsewhereWait)
	case j.End == "":
		j.haltLocked(cancelled)
		j.enter(cancelling, s.opt.Now())
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if err := s.save(j); err != nil {
		return err
	}
	s.mu.Lock()
	out := j.client()
	s.mu.Unlock()
	s.poke()
	send(c.w, http.StatusOK, out)
	return nil
}
