package orchestrate_test

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/pipeline"
)

// picturing is a node with one model of a pipeline, and a paid job for it.
func picturing(t *testing.T, id capability.ID, contentType string, body []byte,
	change ...func(*orchestrate.Options)) (*node, orchestrate.JobRequest) {
	t.Helper()
	r, err := pipeline.Decode(id, "", contentType, body)
	if err != nil {
		t.Fatal(err)
	}
	state := ready(1)
	state.Model = r.Model
	n, _ := aiNode(t, state, change...)
	want := capability.Capabilities{
		Bits: capability.Default().With(id), Capacities: map[capability.ID]uint32{id: 1},
		Constraints: capability.Constraints{PerCapability: map[capability.ID]capability.Models{id: {r.Model.ID: {}}}},
	}
	in, err := n.Offer(context.Background(), orchestrate.OfferRequest{Address: payer[:], Wanted: &want})
	if err != nil {
		t.Fatal(err)
	}
	req := orchestrate.JobRequest{
		Credentials: orchestrate.SegmentRequest{
			Manifest: r.Model.Manifest(), Token: &in.Token, Capabilities: &want, Sender: payer, Payment: payment(1),
		},
		Request: r, Body: body, ContentType: contentType, ID: "job", Own: true,
	}
	return n, req
}

// videoForm is a request for a video, with fields in turn.
func videoForm(t *testing.T, fields ...string) (contentType string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for i := 0; i < len(fields); i += 2 {
		if err := w.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	f, err := w.CreateFormFile("image", "x.png")
	if err == nil {
		_, err = f.Write([]byte("picture"))
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), b.Bytes()
}

// TestPicturesAreBound: what a runner has to make is what was paid, whatever it makes
// of a request without a size; free requests stay as they are.
func TestPicturesAreBound(t *testing.T) {
	t.Parallel()
	const image, video = capability.TextToImage, capability.ImageToVideo
	js := func(fields string) []byte { return []byte(`{"model_id":"m","prompt":"x"` + fields + `}`) }
	form := func(fields ...string) []string {
		kind, body := videoForm(t, append([]string{"model_id", "m"}, fields...)...)
		return []string{kind, string(body)}
	}
	for name, tc := range map[string]struct {
		id            capability.ID
		request       []string
		width, height int
		changed       bool
	}{
		"image without a size": {image, []string{"application/json", string(js(""))}, 512, 512, true},
		"image without height": {image, []string{"application/json", string(js(`,"width":1024,"height":null`))},
			1024, 512, true},
		"image of a size": {image, []string{"application/json", string(js(`,"width":64,"height":32`))}, 64, 32,
			false},
		"video without a size": {video, form(), 1024, 576, true},
		"video without width":  {video, form("width", "", "height", "320"), 1024, 320, true},
		"video of a size":      {video, form("width", "64", "height", "32"), 64, 32, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, paid := range []bool{true, false} {
				pay := paying()
				kind, body := tc.request[0], []byte(tc.request[1])
				n, req := picturing(t, tc.id, kind, body, func(o *orchestrate.Options) {
					if paid {
						o.Payments, o.Signatures = pay, signatures{}
					}
				})
				got := sent(t, n, req)
				if same := bytes.Equal(got, body); same == (paid && tc.changed) {
					t.Errorf("paid %v: the runner gets %q", paid, got)
				}
				r, err := pipeline.Parse(tc.id, "", kind, got, nil)
				if err != nil {
					t.Fatal(err)
				}
				if paid && (r.Width != tc.width || r.Height != tc.height || pay.Work()[0].Units != int64(r.Units)) {
					t.Errorf("the runner is to make %d by %d, billed are %+v", r.Width, r.Height, pay.Work())
				}
			}
		})
	}
}

// sent is what the runner gets.
func sent(t *testing.T, n *node, req orchestrate.JobRequest) []byte {
	t.Helper()
	j, err := n.AdmitJob(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	reply, err := j.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	got, err := io.ReadAll(reply.Body) // the fake answers with what it got
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestBoundAsksForItsMemory: without memory for a larger body the job is refused, and
// costs its gateway nothing.
func TestBoundAsksForItsMemory(t *testing.T) {
	t.Parallel()
	pay := paying()
	kind, body := videoForm(t, "model_id", "m")
	n, req := picturing(t, capability.ImageToVideo, kind, body, func(o *orchestrate.Options) {
		o.Payments, o.Signatures = pay, signatures{}
	})
	var asked int64
	req.Grow = func(size int64) error { asked = size; return fault.New(fault.JobsFull, "", "") }
	_, err := n.AdmitJob(t.Context(), req)
	wantCode(t, err, fault.JobsFull)
	if asked < int64(len(body)) || len(pay.Jobs()) != 0 {
		t.Errorf("asked for %d bytes, %d payments taken", asked, len(pay.Jobs()))
	}
	req.Grow = nil
	if r, err := pipeline.Parse(capability.ImageToVideo, inference.Operation("image-to-video"), kind, sent(t, n, req),
		nil); err != nil || r.Width != 1024 {
		t.Errorf("%+v, %v", r, err)
	}
}
