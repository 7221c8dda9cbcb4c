package byoc

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
)

// Bounds of a job's header.
const (
	// MaxHeader bounds the header in bytes; request and parameters are its largest parts.
	MaxHeader = 64 << 10
	// maxID bounds the ids of jobs and streams.
	maxID = 256
	// MaxTimeout bounds the time of a job.
	MaxTimeout = 24 * time.Hour
)

// Errors of jobs; the texts of ErrTimeout are the network's.
var (
	ErrHeader  = errors.New("not a job")
	ErrTimeout = errors.New("no timeout_seconds set with request, timeout_seconds is required")
	errObject  = errors.New("it is no JSON object")
)

// Wire is a job as its header has it: base64 of this as JSON.
type Wire struct {
	ID         string `json:"id"`
	Request    string `json:"request"`
	Parameters string `json:"parameters"`
	Capability string `json:"capability"`
	Sender     string `json:"sender"`
	Sig        string `json:"sig"`
	// Timeout is in seconds.
	Timeout int64 `json:"timeout_seconds"`
}

// ReadWire reads the form of a header, and nothing of what is in it. The error is ErrHeader.
func ReadWire(header string) (in Wire, err error) {
	err = decode(header, &in)
	return in, err
}

// Header is the job's header.
func (w *Wire) Header() (string, error) {
	data, err := json.Marshal(w)
	return base64.StdEncoding.EncodeToString(data), err
}

// Job is what a gateway asks for.
type Job struct {
	ID         string
	Request    string
	Parameters string
	Capability string
	// Sender signed request and parameters.
	Sender  core.Address
	Sig     []byte
	Timeout time.Duration
}

// Signed is what the sender's signature is of.
func (j *Job) Signed() []byte { return []byte(j.Request + j.Parameters) }

// ParseJob reads the header of a job. The error is ErrHeader or ErrTimeout.
func ParseJob(header string) (*Job, error) {
	in, err := ReadWire(header)
	if err != nil {
		return nil, err
	}
	if in.Timeout <= 0 {
		return nil, ErrTimeout
	}
	sender, err := core.ParseAddress(in.Sender)
	if err != nil || !ValidName(in.Capability) {
		return nil, ErrHeader
	}
	sig, err := signature(in.Sig)
	if err != nil {
		return nil, err
	}
	return &Job{
		ID: in.ID, Request: in.Request, Parameters: in.Parameters, Capability: in.Capability, Sender: sender, Sig: sig,
		Timeout: time.Duration(min(in.Timeout, int64(MaxTimeout/time.Second))) * time.Second,
	}, nil
}

// decode reads base64 of JSON.
func decode(header string, v any) error {
	if header == "" || len(header) > MaxHeader {
		return ErrHeader
	}
	data, err := base64.StdEncoding.DecodeString(header)
	if err != nil || json.Unmarshal(data, v) != nil {
		return ErrHeader
	}
	return nil
}

// signature reads one in hex; off-chain it may be empty.
func signature(text string) ([]byte, error) {
	sig, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil || len(sig) > 65 {
		return nil, ErrHeader
	}
	return sig, nil
}

// Details are what request says of a stream.
type Details struct {
	StreamID string `json:"stream_id"`
}

// Details reads the request, which must be a JSON object: signatures for other purposes are of text that may
// begin with a number. The error has no text of the job.
func (j *Job) Details() (Details, error) {
	var d Details
	return d, object(j.Request, &d)
}

// Media says which channels a stream has besides those for control and events.
type Media struct {
	Input  bool `json:"enable_video_ingress"`
	Output bool `json:"enable_video_egress"`
	Data   bool `json:"enable_data_output"`
}

// Media reads the parameters of a stream.
func (j *Job) Media() (Media, error) {
	var m Media
	if strings.TrimSpace(j.Parameters) == "" {
		return m, nil
	}
	return m, object(j.Parameters, &m)
}

func object(text string, v any) error {
	if err := json.Unmarshal([]byte(text), v); err != nil {
		return err
	}
	if !bytes.HasPrefix(bytes.TrimSpace([]byte(text)), []byte("{")) {
		return errObject
	}
	return nil
}

// ValidStreamID reports whether a stream may have an id: it is part of headers and of channel names.
func ValidStreamID(id string) bool {
	return id != "" && len(id) <= maxID && strings.Trim(id, idCharacters) == ""
}

const idCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."

// Account is what a gateway says of itself when it asks for a token.
type Account struct {
	Address core.Address
	// Text is the address as it was sent, Sig the signature of its checksummed form.
	Text string
	Sig  []byte
	// SigText is the signature as it was sent.
	SigText string
}

// ParseAccount reads the header of a request for a token.
func ParseAccount(header string) (Account, error) {
	var in struct {
		Addr string `json:"addr"`
		Sig  string `json:"sig"`
	}
	if err := decode(header, &in); err != nil {
		return Account{}, err
	}
	address, err := core.ParseAddress(in.Addr)
	if err != nil {
		return Account{}, ErrHeader
	}
	sig, err := signature(in.Sig)
	if err != nil {
		return Account{}, err
	}
	return Account{Address: address, Text: in.Addr, Sig: sig, SigText: in.Sig}, nil
}
