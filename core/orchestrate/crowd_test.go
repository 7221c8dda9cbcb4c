package orchestrate_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/orchestrate"
)

// crowded is a node with a board, and what that says of its room.
func crowded(t *testing.T, change ...func(*orchestrate.Options)) (*node, func() string) {
	t.Helper()
	var board *health.Board
	n := newNode(t, append(change, func(opt *orchestrate.Options) {
		board = health.New(slog.New(slog.DiscardHandler), opt.Now, nil)
		opt.Board = board
	})...)
	return n, func() string {
		n.Sweep(n.clk.Now())
		for _, c := range board.Snapshot() {
			if c.Code == fault.OrchestratorCapped {
				return c.Detail
			}
		}
		return ""
	}
}

func (n *node) refused() {
	n.t.Helper()
	_, err := n.Offer(n.t.Context(), nil, nil, nil)
	wantCode(n.t, err, fault.OrchestratorCapped)
}

const byOption = "gateways are refused: all of -maxSessions 2 are in use"

// To be full is no trouble: that somebody is sent away is one.
func TestCrowdedIsACondition(t *testing.T) {
	t.Parallel()
	n, says := crowded(t)
	first, second := n.token(), n.token()
	n.send(first)
	n.send(second)
	if got := says(); got != "" {
		t.Fatalf("nobody was refused: %q", got)
	}
	n.refused()
	if got := says(); got != byOption {
		t.Fatalf("got %q", got)
	}
	if err := n.EndSession(first); err != nil {
		t.Fatal(err)
	}
	n.clk.Forward(59 * time.Second)
	if got := says(); got != byOption {
		t.Errorf("after 59 s: %q", got)
	}
	n.clk.Forward(time.Second)
	if got := says(); got != "" {
		t.Errorf("after a minute: %q", got)
	}
}

// A limit that was raised is no reason any more.
func TestCrowdEndsWithTheLimit(t *testing.T) {
	t.Parallel()
	n, says := crowded(t)
	n.send(n.token())
	n.send(n.token())
	n.refused()
	if says() == "" {
		t.Fatal("no condition")
	}
	n.SetMaxSessions(3)
	if got := says(); got != "" {
		t.Errorf("got %q", got)
	}
}

type hardware struct {
	use   orchestrate.Usage
	admit error
}

func (h *hardware) Admit(core.SessionRequest) error { return h.admit }
func (h *hardware) Usage() orchestrate.Usage        { return h.use }

// What keeps gateways out is said, in words that do not change with each estimate.
func TestCrowdOfTheDevices(t *testing.T) {
	t.Parallel()
	const byDevices = "gateways are refused: the devices have no room for another session"
	capped := fault.New(fault.OrchestratorCapped, "", "gpu-0: 3 of 3 encoder sessions in use")
	for name, tt := range map[string]struct {
		hardware hardware
		want     string
	}{
		"no session measured": {hardware{use: orchestrate.Usage{Refusal: capped}}, byDevices},
		"as many as they do":  {hardware{use: orchestrate.Usage{Sessions: 3, Limit: 3}}, byDevices},
		"no device":           {hardware{use: orchestrate.Usage{Refusal: fault.New(fault.NoTranscoders, "", "")}}, ""},
		"this session":        {hardware{admit: capped}, byDevices},
		"its needs":           {hardware{admit: fault.New(fault.NoCapableTranscoder, "", "")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			has := tt.hardware
			n, says := crowded(t, func(opt *orchestrate.Options) { opt.Admitter, opt.Limit = &has, 5 })
			in, err := n.Offer(t.Context(), nil, nil, nil)
			if err == nil {
				if _, err = n.Admit(t.Context(), request(&in.Token)); err == nil {
					t.Fatal("not refused")
				}
			}
			if got := says(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
