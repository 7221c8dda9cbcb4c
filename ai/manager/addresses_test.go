package manager_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/core/inference"
)

// gallery has an image at every address but those that are missing.
type gallery struct {
	asked []string
	// held is the number of batches that were not released.
	held int
	err  error
}

func (g *gallery) Fetch(_ context.Context, _ string, addresses []string) (*manager.PictureBatch, error) {
	g.asked = append(g.asked, addresses...)
	if g.err != nil {
		return nil, g.err
	}
	g.held++
	out := make([]manager.Image, len(addresses))
	for i := range out {
		out[i] = manager.Image{Type: "image/png", Data: []byte{byte(i)}}
	}
	released := false
	return &manager.PictureBatch{Images: out, Release: func() {
		if !released {
			released = true
			g.held--
		}
	}}, nil
}

// shown runs a job with a body and returns what the runner got.
func shown(t *testing.T, r *rig, job inference.Job) (string, error) {
	t.Helper()
	r.h.mu.Lock()
	r.h.lastBody = ""
	r.h.mu.Unlock()
	slot, err := r.m.Reserve(t.Context(), llm("a"), "party")
	if err != nil {
		t.Fatal(err)
	}
	defer slot.Release()
	job.Model = llm("a")
	reply, err := slot.Run(t.Context(), &job)
	if err == nil {
		err = reply.Body.Close()
	}
	r.h.mu.Lock()
	defer r.h.mu.Unlock()
	return r.h.lastBody, err
}

// By default the node fetches a chat's images, and nothing else, for its runners.
func TestPicturesInJobs(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h, g := newHost(), &gallery{}
		h.programs["a"] = &program{slots: 1}
		r := begin(t, h, manager.Options{Entries: []manager.Entry{{Model: llm("a"), Warm: true}}, ImageFetcher: g})
		after(time.Minute)
		chat := func(parts string) inference.Job {
			return inference.Job{Body: []byte(`{"messages":[{"role":"user","content":[` + parts + `]}],"n":1}`)}
		}
		got, err := shown(t, r, chat(`{"image_url": {"url": "https:\/\/a\/?b"}},{"image_url":{"url":"data:,x"}},`+
			`{"image_url":"http://c","type":"input_image"}`))
		want := string(chat(`{"image_url": {"url": "data:image/png;base64,AA=="}},{"image_url":{"url":"data:,x"}},` +
			`{"image_url":"data:image/png;base64,AQ==","type":"input_image"}`).Body)
		if err != nil || got != want || !slices.Equal(g.asked, []string{"https://a/?b", "http://c"}) || g.held != 0 {
			t.Errorf("%v, %s, %v, %d held", err, got, g.asked, g.held)
		}
		g.asked = nil
		for _, parts := range []string{
			`{"image_url":"https://a"},{"video_url":{"url":"https://b"}}`,
			`{"file":{"file_url":"https://a"}}`, `{"image":"https://a"}`,
			`{"input_audio":{"url":"https://a"}}`, `{"Image_url":{"url":"https://a"}}`, `{"image_url":["https://a"]}`,
		} {
			if got, err := shown(t, r, chat(parts)); !errors.Is(err, fault.RequestURLRefused) || got != "" ||
				g.asked != nil {
				t.Errorf("%s: %v, %s, %v", parts, err, got, g.asked)
			}
		}
		other := chat(`{"image_url":"https://a"}`)
		other.Operation = inference.Completion
		if got, err := shown(t, r, other); !errors.Is(err, fault.RequestURLRefused) || got != "" || g.asked != nil {
			t.Errorf("no chat: %v, %s", err, got)
		}
		g.err = fault.New(fault.PictureNotFetched, "fetch images", "image 1: the server answered 404")
		if got, err := shown(t, r, chat(`{"image_url":"https://a"}`)); !errors.Is(err, fault.PictureNotFetched) ||
			got != "" {
			t.Errorf("%v, %s", err, got)
		}
		r.idle()
		r.state("a", inference.Ready, "")
		r.end()
	})
}

// Memory for images is given back also where the runner fails.
func TestPicturesAreReleased(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h, g := newHost(), &gallery{}
		h.programs["a"] = &program{slots: 1}
		r := begin(t, h, manager.Options{Entries: []manager.Entry{{Model: llm("a"), Warm: true}}, ImageFetcher: g})
		after(time.Minute)
		h.change("a", func(p *program) { p.down = true })
		job := inference.Job{Body: []byte(`{"messages":[{"content":[{"image_url":"http://a"}]}]}`)}
		if _, err := shown(t, r, job); !errors.Is(err, fault.RunnerUnreachable) || g.held != 0 || len(g.asked) != 1 {
			t.Errorf("%v, %d held", err, g.held)
		}
		h.change("a", func(p *program) { p.down = false })
		after(time.Hour)
		r.end()
	})
}

// The other policies fetch nothing.
func TestPicturesOfOtherPolicies(t *testing.T) {
	for policy, want := range map[fetchurl.Policy]error{
		fetchurl.DataOnly: fault.RequestURLRefused, fetchurl.PublicHosts: nil, fetchurl.Any: nil,
	} {
		t.Run(policy.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				h, g := newHost(), &gallery{}
				h.programs["a"] = &program{slots: 1}
				entry := manager.Entry{Model: llm("a"), Warm: true, RequestURLs: policy}
				r := begin(t, h, manager.Options{Entries: []manager.Entry{entry}, ImageFetcher: g})
				after(time.Minute)
				job := inference.Job{Body: []byte(`{"messages":[{"content":[{"image_url":"https://93.184.216.34/"}]}]}`)}
				got, err := shown(t, r, job)
				passed := err == nil && got == string(job.Body)
				if g.asked != nil || passed != (want == nil) || want != nil && !errors.Is(err, want) {
					t.Errorf("%v, %s, %v", err, got, g.asked)
				}
				r.end()
			})
		})
	}
}
