package fault_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tuttinode/tutti/core/fault"
)

var errSecret = errors.New("dial https://rpc.example/KEY123: refused")

func TestWhatPeersSee(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name             string
		err              error
		code, text, wire string
	}{
		{"plain error", errSecret, "Unexpected", "Internal Server Error", "Internal Server Error"},
		{"canceled", fmt.Errorf("read: %w", context.Canceled), "Canceled",
			"The requester disconnected before the work was done.", "Canceled"},
		{"deadline", context.DeadlineExceeded, "DeadlineExceeded",
			"The answer did not come in the time allowed.", "DeadlineExceeded"},
		{"exact wire text ignores the detail", fault.New(fault.OrchestratorCapped, "admit session", "10 of 10 in use"),
			"OrchestratorCapped", "10 of 10 in use", "OrchestratorCapped"},
		{"cause stays inside", fault.Wrap(fault.OrchestratorBusy, "queue", errSecret),
			"OrchestratorBusy", "Four segments of one session already wait: the session's segments arrive faster " +
				"than they are transcoded.", "OrchestratorBusy"},
		{"wrapped fault", fmt.Errorf("segment 3: %w", fault.New(fault.OrchestratorCapped, "", "")),
			"OrchestratorCapped", "", "OrchestratorCapped"},
		{"outermost fault wins", &fault.Fault{Code: fault.ComponentFailed,
			Err: fault.New(fault.OrchestratorCapped, "", "x")},
			"ComponentFailed", "Internal Server Error", "Internal Server Error"},
		{"configuration is not for peers", fault.New(fault.NoDevices, "open", "libcuda.so.1"),
			"NoDevices", "libcuda.so.1", "Internal Server Error"},
		{"detail is the text where the table has none", fault.New(fault.PortClosed, "ping", "no answer"),
			"PortClosed", "no answer", "no answer"},
		{"unknown code", fault.New("Novel", "op", "something"), "Novel", "something", "Internal Server Error"},
		{"bare code", fault.OrchestratorCapped, "OrchestratorCapped", "", "OrchestratorCapped"},
		{"line breaks are flattened", fault.New(fault.PortClosed, "", "a\r\nb\x00c\u2028d"), "PortClosed", "a  b c d",
			"a  b c d"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, text := fault.Public(tt.err)
			if code != tt.code {
				t.Errorf("code %q, want %q", code, tt.code)
			}
			if tt.text != "" && text != tt.text {
				t.Errorf("text %q, want %q", text, tt.text)
			}
			if got := fault.Wire(tt.err); got != tt.wire {
				t.Errorf("wire %q, want %q", got, tt.wire)
			}
			if strings.Contains(text+fault.Wire(tt.err), "KEY123") {
				t.Error("the cause leaks")
			}
		})
	}
}

func TestPublicTextIsBounded(t *testing.T) {
	t.Parallel()
	_, text := fault.Public(fault.New(fault.PortClosed, "", strings.Repeat("é", 5000)))
	if len(text) > 520 || !utf8.ValidString(text) {
		t.Fatalf("%d bytes, valid %v", len(text), utf8.ValidString(text))
	}
}

func TestErrorIsForOurLog(t *testing.T) {
	t.Parallel()
	err := &fault.Fault{Code: fault.OrchestratorCapped, Op: "admit session", Detail: "10 of 10 in use", Err: errSecret}
	want := "admit session: OrchestratorCapped (10 of 10 in use): dial https://rpc.example/KEY123: refused"
	if err.Error() != want {
		t.Errorf("got %q", err)
	}
	if !errors.Is(err, fault.OrchestratorCapped) || errors.Is(err, fault.OrchestratorBusy) ||
		!errors.Is(err, errSecret) {
		t.Error("errors.Is does not follow code and cause")
	}
	if fault.ClassOf(err) != fault.Busy || !fault.Retryable(err) {
		t.Error("class or retryable not from the table")
	}
}

func TestAttr(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	log := slog.New(slog.NewTextHandler(&b, nil))
	log.Warn("refused", fault.Attr(fault.New(fault.SessionCleanup, "clean", "s1")))
	log.Warn("fine", fault.Attr(nil))
	for _, want := range []string{"code=SessionCleanup", `remedy="None needed, this is normal`,
		`err="clean: SessionCleanup (s1)"`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in %q", want, b.String())
		}
	}
	if strings.Contains(b.String(), "Unexpected") {
		t.Errorf("a nil error was logged: %q", b.String())
	}
}
