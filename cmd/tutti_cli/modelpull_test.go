package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/adminapi"
)

// pull answers as a node does that fetches an image, by the model's name: broken ends
// without a result, refused with an error, and stalled waits until the client is gone.
func (f *fakeNode) pull(w http.ResponseWriter, r *http.Request, body []byte) {
	out := json.NewEncoder(w)
	var progress adminapi.ModelPullProgress
	line := func(l adminapi.ModelPullLine) {
		if err := out.Encode(l); err != nil {
			f.t.Error(err)
		}
		_ = http.NewResponseController(w).Flush()
	}
	image := adminapi.ModelPart{Kind: "image", Name: "registry.example/runner:1", State: "pulled", Digest: "sha256:" +
		strings.Repeat("5", 64)}
	if r.URL.Query().Get(adminapi.QueryDryRun) == "true" {
		image.State, image.Digest = "missing", ""
	} else {
		progress = adminapi.ModelPullProgress{Kind: image.Kind, Name: image.Name, TotalBytes: 1000, Layers: 3}
		for range 100 {
			progress.DoneBytes += 10
			progress.LayersReady = int(progress.DoneBytes / 400)
			line(adminapi.ModelPullLine{Progress: &progress})
		}
	}
	switch {
	case strings.Contains(string(body), "broken"):
		return
	case strings.Contains(string(body), "refused"):
		line(adminapi.ModelPullLine{Error: &adminapi.Error{Code: "ImageDenied", Message: "registry.example/runner:1",
			Remedy: "Correct the name."}})
		return
	case strings.Contains(string(body), "stalled"):
		f.stall()
		<-r.Context().Done()
		return
	}
	line(adminapi.ModelPullLine{Result: &adminapi.ModelPull{Pipeline: "llm", Model: "org/model",
		Parts: []adminapi.ModelPart{
			image, {Kind: "weights", Name: "org/model", State: "manual",
				ToDo: "its container may not download: the weights must be in /models or in the image"}}}})
}

// TestPullEnds: without a result it has failed, and the reason is the node's or the tool's.
func TestPullEnds(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]struct {
		status int
		says   string
	}{
		"refused": {exitFailed, "ImageDenied: registry.example/runner:1"},
		"broken":  {exitUnreachable, "NodeUnreachable: the node closed the connection before the pull was complete"},
		"stalled": {exitRefused, "PullInterrupted"},
	} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			o := newTool(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o.node.stall = cancel
			status, out, errs := o.runContext(ctx, "models", "pull", model, "--yes")
			if status != want.status || out != "" || !strings.Contains(errs, want.says) ||
				strings.Contains(errs, "nothing was sent") {
				t.Errorf("status %d\n%s%s", status, out, errs)
			}
			if n := strings.Count(errs, "Pulling image"); n > 20 || n < 2 && model != "stalled" {
				t.Errorf("%d lines of progress\n%s", n, errs)
			}
		})
	}
}

// TestPullInJSON writes one object and no progress.
func TestPullInJSON(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	status, out, errs := o.run("models", "pull", "org/model", "--yes", "--json")
	if status != exitOK || errs != "" {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
	valid(t, "models pull", out)
}
