package aiapi

import (
	"context"
	"image"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/access"
)

// openAIEdits serves /v1/images/edits by image-to-image. The pipeline changes whole images, of the size that they
// have: a size is that of the image that it gets, and what a mask protects is put back into what it makes.
func (x *relayedRequest) openAIEdits() error {
	in, err := x.readPayload()
	if err != nil {
		return err
	}
	u, err := readUpload(in)
	if err != nil {
		return err
	}
	if u.files["image"] == nil {
		return unreadable("image: a file is needed")
	}
	if err := refuseStream(u.text("stream")); err != nil {
		return err
	}
	width, height, err := parseSize(u.text("size"))
	if err != nil {
		return err
	}
	var change func(*mediaAnswer) error
	if file, mask := u.files["image"], u.files["mask"]; mask != nil || width > 0 {
		if err := x.permitModel(x.r.Context(), u.text("model")); err != nil {
			return err
		}
		var e *edit
		err := x.inTurn(x.r.Context(), func(ctx context.Context) (err error) {
			e, err = x.newEdit(ctx, file, mask, width, height)
			return err
		})
		if err != nil {
			return err
		}
		u.files["image"] = e.sent
		change = func(m *mediaAnswer) error {
			return x.inTurn(x.r.Context(), func(ctx context.Context) error { return x.applyEdit(ctx, e, m) })
		}
	}
	texts := map[string]string{
		"prompt": u.text("prompt"), "model_id": u.text("model"), "num_images_per_prompt": u.text("n"),
	}
	for _, name := range imageFields {
		texts[name] = u.text(name)
	}
	out, err := x.networkMultipart("image", u.files["image"], texts)
	if err != nil {
		return err
	}
	return x.sendImages(out, u.text("response_format"), change)
}

// permitModel refuses a key that may not use a model, before work is done for it. It takes nothing from the key's
// limits; admit does that.
func (x *relayedRequest) permitModel(ctx context.Context, model string) error {
	if p, ok := pipeline.Lookup(x.route.capability); ok && model == "" {
		model = p.DefaultModel
	}
	need := apikeys.Need{Model: model, Route: x.route.path, MaxTokens: apikeys.NoTokens}
	need.From, _ = access.Client(x.r)
	began := time.Now()
	defer func() { x.waited += time.Since(began) }() // for an operator's webhook
	return x.server.opt.Keys.Permits(ctx, x.token(), need)
}

// turnTime bounds a client's turn, in which an orchestrator may have many images decoded.
const turnTime = time.Minute

// inTurn has work on images or a sound done in the client's turn.
func (x *relayedRequest) inTurn(ctx context.Context, work func(ctx context.Context) error) error {
	release, err := x.server.conversions.Acquire(ctx, x.client())
	if err != nil {
		return conversionFault(ctx, err)
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, turnTime)
	defer cancel()
	return work(ctx)
}

// edit is what is to be done with an image that is edited.
type edit struct {
	// sent is the image that the model gets.
	sent []byte
	// original is that image, and mask its mask: what is not transparent there stays. nil masks nothing.
	original *image.RGBA
	mask     *image.Alpha
	size     image.Rectangle
}
