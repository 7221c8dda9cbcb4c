package signature_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/signature"
)

// A job's message is the network's: its signature is that of the vectors.
func TestJobVector(t *testing.T) {
	t.Parallel()
	var file struct {
		Cases []struct {
			Name, Signer string
			Signature    hexBytes
		}
	}
	readVectors(t, "signatures.json", &file)
	found := false
	for _, c := range file.Cases {
		if c.Name != "byoc_job_request" {
			continue
		}
		found = true
		key := vectorKeys(t)[c.Signer]
		m, err := signature.JobMessage(address(key), `{"stream_id":"s1"}`, `{"enable_video_ingress":true}`)
		if err != nil {
			t.Fatal(err)
		}
		sig, err := signature.EthSign(key, m.Bytes())
		if err != nil || !bytes.Equal(sig, c.Signature) {
			t.Errorf("%x, %v", sig, err)
		}
	}
	if !found {
		t.Error("no vector")
	}
}

// Clients write jobs: only JSON objects are signed, and no ticket.
func TestJobs(t *testing.T) {
	t.Parallel()
	for _, job := range [][2]string{{"{}", ""}, {`{"run": "x"}`, "{}"}, {"{\n\t\"a\": \"ü\"}", `{"b":{}}`}} {
		if _, err := signature.JobMessage(self, job[0], job[1]); err != nil {
			t.Errorf("%q: %v", job, err)
		}
	}
	for _, job := range [][2]string{{"", ""}, {"", "{}"}, {"plain", ""}, {"[]", ""}, {"1", ""}, {"{", "}"}, {" {}", ""},
		{"{}x", ""}, {"{}", "x"}, {"{}{}", ""}, {"{\"a\":\"\x00\"}", ""}, {"{\"a\":\"\xff\"}", ""}, {`{"a":1`, `,"b":2}`}} {
		if _, err := signature.JobMessage(self, job[0], job[1]); !errors.Is(err, signature.ErrJob) {
			t.Errorf("%q was taken", job)
		}
	}
}

// An account whose address is text does not sign a ticket of itself as a job.
func TestAJobIsNoTicket(t *testing.T) {
	t.Parallel()
	account := [20]byte([]byte("abcdefghijklmnopqrst"))
	ticket := `{"a":"` + strings.Repeat("x", 14) + string(account[:]) + strings.Repeat("y", 126) + `"}`
	if !signature.IsTicket(account, []byte(ticket)) {
		t.Fatal("the text is no ticket at all")
	}
	if _, err := signature.JobMessage(account, ticket, ""); !errors.Is(err, signature.ErrJob) {
		t.Error("a ticket was signed as a job")
	}
	if _, err := signature.JobMessage(account, ticket[:100], ticket[100:]); !errors.Is(err, signature.ErrJob) {
		t.Error("a ticket in two parts was signed as a job")
	}
}
