package batch

import (
	"encoding/json"
	"time"
)

// Purposes of files.
const (
	purposeBatch  = "batch"
	purposeOutput = "batch_output"
)

// file is a file of a key, as it is on disk besides its content. It does not change.
type file struct {
	ID      string `json:"id"`
	Owner   string `json:"owner"`
	Name    string `json:"name"`
	Purpose string `json:"purpose"`
	Bytes   int64  `json:"bytes"`
	// Created and Expires are Unix times.
	Created int64 `json:"created"`
	Expires int64 `json:"expires"`
}

// fileObject is a file as clients get it.
type fileObject struct {
	ID        string `json:"id"`
	Object    string `json:"object"`
	Bytes     int64  `json:"bytes"`
	CreatedAt int64  `json:"created_at"`
	ExpiresAt int64  `json:"expires_at"`
	Filename  string `json:"filename"`
	Purpose   string `json:"purpose"`
	Status    string `json:"status"`
}

func (f *file) object() fileObject {
	return fileObject{f.ID, "file", f.Bytes, f.Created, f.Expires, f.Name, f.Purpose, "processed"}
}

// state is where a batch stands, in OpenAI's words.
type state string

// States of a batch.
const (
	validating state = "validating"
	inProgress state = "in_progress"
	finalizing state = "finalizing"
	completed  state = "completed"
	failed     state = "failed"
	expired    state = "expired"
	cancelling state = "cancelling"
	cancelled  state = "cancelled"
)

// ended reports whether a batch does not change any more.
func (s state) ended() bool { return s == completed || s == failed || s == expired || s == cancelled }

// record is a batch as it is on disk. OpenAI's names are those of its fields for clients.
type record struct {
	ID    string `json:"id"`
	Owner string `json:"owner"`
	// Out and Err are the IDs of the files of answers, which are visible once the batch has ended.
	Out string `json:"out"`
	Err string `json:"err"`
	// Reserved is the storage that is held for lines without an answer, in bytes.
	Reserved int64 `json:"reserved,omitempty"`
	// End is the state in which a batch ends that is finalizing or cancelling.
	End state `json:"end,omitempty"`
	// OutputSeconds is how long its answers are kept.
	OutputSeconds int64 `json:"output_seconds"`
	batchObject
}

// batchObject is a batch as clients get it.
type batchObject struct {
	Object           string            `json:"object"`
	Endpoint         string            `json:"endpoint"`
	Errors           *batchErrors      `json:"errors"`
	InputFileID      string            `json:"input_file_id"`
	CompletionWindow string            `json:"completion_window"`
	Status           state             `json:"status"`
	OutputFileID     *string           `json:"output_file_id"`
	ErrorFileID      *string           `json:"error_file_id"`
	CreatedAt        int64             `json:"created_at"`
	InProgressAt     *int64            `json:"in_progress_at"`
	ExpiresAt        int64             `json:"expires_at"`
	FinalizingAt     *int64            `json:"finalizing_at"`
	CompletedAt      *int64            `json:"completed_at"`
	FailedAt         *int64            `json:"failed_at"`
	ExpiredAt        *int64            `json:"expired_at"`
	CancellingAt     *int64            `json:"cancelling_at"`
	CancelledAt      *int64            `json:"cancelled_at"`
	Counts           counts            `json:"request_counts"`
	Metadata         map[string]string `json:"metadata"`
}

// counts are a batch's requests.
type counts struct {
	Total     int `json:"total"`
	Completed int `json:"completed"`
	Failed    int `json:"failed"`
}

// batchErrors is why a batch failed.
type batchErrors struct {
	Object string       `json:"object"`
	Data   []batchError `json:"data"`
}

type batchError struct {
	Code    string  `json:"code"`
	Message string  `json:"message"`
	Param   *string `json:"param"`
	Line    *int    `json:"line"`
}

// client returns the batch with its ID, as clients get it.
func (r *record) client() any {
	return struct {
		ID string `json:"id"`
		batchObject
	}{r.ID, r.batchObject}
}

// enter changes the state and keeps its time.
func (r *record) enter(s state, now time.Time) {
	at := now.Unix()
	r.Status = s
	switch s {
	case inProgress:
		r.InProgressAt = &at
	case finalizing:
		r.FinalizingAt = &at
	case completed:
		r.CompletedAt = &at
	case failed:
		r.FailedAt = &at
	case expired:
		r.ExpiredAt = &at
	case cancelling:
		r.CancellingAt = &at
	case cancelled:
		r.CancelledAt = &at
	}
}

// fail says why a batch fails.
func (r *record) fail(all ...batchError) { r.Errors = &batchErrors{"list", all} }

// resultLine is a line of a file of answers.
type resultLine struct {
	ID       string        `json:"id"`
	CustomID string        `json:"custom_id"`
	Response *resultAnswer `json:"response"`
	Error    *resultError  `json:"error"`
}

type resultAnswer struct {
	Status    int             `json:"status_code"`
	RequestID string          `json:"request_id"`
	Body      json.RawMessage `json:"body"`
}

type resultError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}
