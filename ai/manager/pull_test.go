package manager_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// pull pulls a model, and returns its parts as text and how much progress there was.
func (r *rig) pull(model string, dry bool) (parts string, reports int, err error) {
	list, err := r.m.Pull(r.t.Context(), llm(model), dry, func(manager.PullProgress) { reports++ })
	var out []string
	for _, p := range list {
		out = append(out, fmt.Sprint(p.Kind, " ", p.Name, " ", p.State))
	}
	return strings.Join(out, ", "), reports, err
}

// TestPullAnImage that could not be fetched when the node started: afterwards the failure
// is no longer shown, and a warm model is tried again at once.
func TestPullAnImage(t *testing.T) {
	for _, warm := range []bool{true, false} {
		t.Run(fmt.Sprint("warm ", warm), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				h := newHost()
				h.pullErr, h.absent = fault.New(fault.ImagePullFailed, "pull image", "image-of-a"),
					map[string]bool{"image-of-a": true}
				r := begin(t, h, manager.Options{Entries: []manager.Entry{{Model: llm("a"), Warm: warm}}})
				after(3 * time.Minute)
				if warm {
					r.state("a", inference.Failed, fault.ImagePullFailed)
				} else {
					r.state("a", inference.Absent, fault.ImagePullFailed)
				}
				if parts, _, err := r.pull("a", true); err != nil ||
					!strings.HasPrefix(parts, "image image-of-a missing, weights a manual") {
					t.Errorf("dry: %s, %v", parts, err)
				}
				if _, _, err := r.pull("a", false); fault.CodeOf(err) != fault.ImagePullFailed {
					t.Errorf("refused: %v", err)
				}
				h.mu.Lock()
				h.pullErr, h.pullTime = nil, time.Second
				h.mu.Unlock()
				parts, reports, err := r.pull("a", false)
				if err != nil || reports == 0 || !strings.HasPrefix(parts, "image image-of-a pulled") {
					t.Errorf("%s, %d reports, %v", parts, reports, err)
				}
				h.mu.Lock()
				h.pullTime = 0
				h.mu.Unlock()
				want := inference.Absent
				if warm {
					want = inference.Ready
				}
				after(2 * time.Second)
				r.state("a", want, "")
				if parts, reports, err := r.pull("a", false); err != nil || reports != 0 ||
					!strings.HasPrefix(parts, "image image-of-a present") {
					t.Errorf("again: %s, %d reports, %v", parts, reports, err)
				}
				r.end()
			})
		})
	}
}

// TestPullAtAServer has a server fetch the model that it lacks, and looks again at once.
func TestPullAtAServer(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.servers["http://a:1"] = &program{slots: 1, missing: true}
		h.pullErr = fault.New(fault.ModelPullFailed, "pull", "file does not exist")
		r := begin(t, h, manager.Options{Entries: []manager.Entry{{Model: llm("a"), URL: "http://a:1"}}})
		after(5 * time.Minute)
		r.state("a", inference.Failed, fault.RunnerModelMissing)
		if parts, reports, err := r.pull("a", true); err != nil || reports != 0 || parts != "weights a missing" {
			t.Errorf("dry: %s, %d reports, %v", parts, reports, err)
		}
		if _, _, err := r.pull("a", false); fault.CodeOf(err) != fault.ModelPullFailed {
			t.Errorf("refused: %v", err)
		}
		h.pullErr = nil
		if parts, reports, err := r.pull("a", false); err != nil || reports == 0 || parts != "weights there pulled" {
			t.Errorf("%s, %d reports, %v", parts, reports, err)
		}
		r.state("a", inference.Ready, "")
		if parts, _, err := r.pull("a", false); err != nil || parts != "weights there present" {
			t.Errorf("again: %s, %v", parts, err)
		}
		if _, _, err := r.pull("b", false); fault.CodeOf(err) != fault.ModelNotServed {
			t.Errorf("another model: %v", err)
		}
		r.end()
	})
}

// TestPullByTheContainer: one that may download is started for it, and not kept.
func TestPullByTheContainer(t *testing.T) {
	for _, tt := range []struct {
		name    string
		sandbox models.Sandbox
		want    string
		created int
	}{
		{"may download", models.Sandbox{Network: true, WriteModels: true}, "pulled", 1},
		{"may not keep it", models.Sandbox{Network: true}, "manual", 0},
		{"may not reach out", models.Sandbox{WriteModels: true}, "manual", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				h := newHost()
				h.programs["a"] = &program{slots: 1, loads: 4 * time.Minute}
				r := begin(t, h, manager.Options{Entries: []manager.Entry{{Model: llm("a"), Sandbox: tt.sandbox}}})
				if parts, _, err := r.pull("a", false); err != nil || parts != "image image-of-a present, weights a "+tt.want {
					t.Errorf("%s, %v", parts, err)
				}
				after(time.Second)
				if h.created["a"] != tt.created || h.removed["a"] != tt.created {
					t.Errorf("%d containers, %d removed", h.created["a"], h.removed["a"])
				}
				if err := r.try("a", 10*time.Minute); err != nil {
					t.Errorf("a job afterwards: %v", err)
				}
				r.end()
			})
		})
	}
}

// TestPullEndsWithItsContext in every phase, and leaves nothing behind.
func TestPullEndsWithItsContext(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.programs["a"] = &program{slots: 1, loads: 4 * time.Minute}
		r := begin(t, h, manager.Options{Entries: []manager.Entry{{Model: llm("a"),
			Sandbox: models.Sandbox{Network: true, WriteModels: true}}}})
		synctest.Wait()
		h.mu.Lock()
		h.absent, h.pullTime = map[string]bool{"image-of-a": true}, time.Hour
		h.mu.Unlock()
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			if _, err := r.m.Pull(ctx, llm("a"), false, func(manager.PullProgress) {}); err == nil || ctx.Err() == nil {
				t.Error(err)
			}
			cancel()
			h.mu.Lock()
			h.absent, h.pullTime = nil, 0
			h.mu.Unlock()
		}
		r.idle()
		r.end()
	})
}
