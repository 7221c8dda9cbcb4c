package speed_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// copySegments is how many segments the copies are counted over.
const copySegments = 6

// copies counts the bytes between host and GPU: of a media worker of our own, and of an
// ffmpeg that does the same.
func (r *rig) copies(t *testing.T, s source, limit time.Duration) {
	const what = "bytes between host and GPU"
	if !r.has(t, what, 5*time.Second) {
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), r.left(limit))
	defer cancel()
	ours, frames, err := r.countOurs(ctx, t, s)
	transcoded := what + ": the segments of a kept session are transcoded"
	if err != nil {
		r.failed(t, transcoded, err)
		return
	}
	card.NoError(t, err, transcoded, fmt.Sprintf("%d segments", copySegments))
	r.countedOnce(t, s, ours, frames)
	r.copied(t, s, what, ours)
	if ffmpeg() == "" {
		card.SkipCheck(t, what+", ffmpeg", "there is no ffmpeg next to the programs")
		return
	}
	theirs, err := r.countTheirs(t, s, limit)
	if err != nil {
		r.failed(t, what+", ffmpeg", err)
		return
	}
	// The comparison does the first segment once more, alone.
	all := frames + int64(s.segments[0].Frames)
	card.CheckThat(t, theirs.PicturesDecoded == all, "ffmpeg decodes the same frames on the GPU",
		fmt.Sprint(all), fmt.Sprint(theirs.PicturesDecoded), "")
	encoded := ours.PicturesEncoded * all / frames
	card.CheckThat(t, theirs.PicturesEncoded == encoded, "ffmpeg encodes as many frames on the GPU as we do",
		fmt.Sprint(encoded), fmt.Sprint(theirs.PicturesEncoded), "")
	up, down := perFrame(theirs)
	card.RecordCheck(t, what+", ffmpeg", fmt.Sprintf("%.0f bytes up, %.0f down per frame", up, down),
		fmt.Sprintf("%.4f of a frame up, %.4f down", up/s.frameBytes(), down/s.frameBytes()))
}

// countOurs transcodes in a media worker as the node has it, under the counting library.
// The node's own workers have an environment that has no place for one.
func (r *rig) countOurs(ctx context.Context, t *testing.T, s source) (c card.Counts, frames int64, err error) {
	counter := card.StartCounter(t)
	w, err := worker.Start(ctx, worker.Options{
		Device: strconv.Itoa(r.card.Index), GPU: true, UUID: r.card.UUID, Args: []string{childArg},
		Env: append(r.card.Env(), counter.Env()...),
	})
	if err != nil {
		return c, 0, err
	}
	defer w.Close()
	// The worker has warmed the GPU up before it was ready.
	before := counter.Read(t)
	for n := range copySegments {
		seg := s.segments[n%len(s.segments)]
		res, err := w.Transcode(ctx, &core.TranscodeJob{
			Session: "copies", Manifest: "copies", Number: core.SegmentNumber(n), Input: seg.Data,
			Duration: seg.Duration,
			Profiles: s.parsed(t), Origin: "offchain",
		})
		if err != nil {
			return c, 0, fmt.Errorf("segment %d: %w", n, err)
		}
		if got := res.Renditions[0].Frames; int(got) != seg.Frames {
			return c, 0, fmt.Errorf("segment %d: %d of %d frames", n, got, seg.Frames)
		}
		frames += int64(seg.Frames)
	}
	return counter.Read(t).Since(before), frames, nil
}

// countTheirs has tutti_bench compare under the counting library: ffmpeg inherits it, and
// our media workers do not.
func (r *rig) countTheirs(t *testing.T, s source, limit time.Duration) (card.Counts, error) {
	counter := card.StartCounter(t)
	_, err := r.bench(t, s, max(r.left(limit), 10*time.Second), counter.Env(),
		fastest(1, "-segs", strconv.Itoa(copySegments), "-until", "1ms", "-against", ffmpeg())...)
	return counter.Read(t), err
}

// countedOnce looks at what else the count shows: the GPU decodes every frame, and a
// session that is kept opens its decoder and encoders once.
func (r *rig) countedOnce(t *testing.T, s source, c card.Counts, frames int64) {
	t.Helper()
	card.CheckThat(t, c.PicturesDecoded == frames, "the GPU decodes every frame once",
		fmt.Sprint(frames), fmt.Sprint(c.PicturesDecoded), "")
	encoders, pictures := int64(0), int64(0)
	if r.card.Encodes {
		encoders, pictures = int64(len(s.profiles)), frames*int64(len(s.profiles))
	}
	once := c.DecodersCreated == 1 && c.EncodersOpened == encoders
	card.CheckThat(t, once, "a kept session opens its decoder and its encoders once",
		fmt.Sprintf("1 decoder, %d encoders", encoders),
		fmt.Sprintf("%d decoders, %d encoders", c.DecodersCreated, c.EncodersOpened),
		fmt.Sprintf("over %d segments", copySegments))
	card.CheckThat(t, c.PicturesEncoded == pictures,
		"the GPU encodes every frame of every rendition if it has an encoder",
		fmt.Sprint(pictures), fmt.Sprint(c.PicturesEncoded), "")
}

// copied checks the bytes of our own: none where the GPU encodes, and the renditions' pixels down where the CPU does.
func (r *rig) copied(t *testing.T, s source, what string, c card.Counts) {
	t.Helper()
	if c.PicturesDecoded == 0 {
		card.SkipCheck(t, what, "no frame was counted")
		return
	}
	up, down := perFrame(c)
	const little = 0.01
	figure := func(bytes float64) string {
		return fmt.Sprintf("%.0f bytes per frame, %.4f of a decoded one", bytes, bytes/s.frameBytes())
	}
	const none = "less than 0.01 of a frame"
	card.CheckThat(t, up < little*s.frameBytes(), what+", up", none, fmt.Sprintf("%.0f bytes", up), figure(up))
	if r.card.Encodes {
		card.CheckThat(t, down < little*s.frameBytes(), what+", down", none, fmt.Sprintf("%.0f bytes", down), figure(down))
		return
	}
	least, most := s.renditions()
	// What a frame brings besides its pixels is as little as on a GPU that encodes.
	ok := down >= least && down <= most+little*s.frameBytes()
	card.CheckThat(t, ok, what+", down", fmt.Sprintf("the renditions' pixels: %.0f bytes, %.0f with rows padded", least,
		most),
		fmt.Sprintf("%.0f bytes", down), figure(down))
}

func perFrame(c card.Counts) (up, down float64) {
	n := float64(max(c.PicturesDecoded, 1))
	return float64(c.UploadedBytes) / n, float64(c.DownloadedBytes) / n
}

// frame is the bytes of a decoded frame in 8-bit 4:2:0.
func (s source) frameBytes() float64 { return float64(s.clip.Width*s.clip.Height) * 1.5 }

// renditions is the bytes of one frame of each rendition, without and with what libav
// copies at the ends of rows: it pads them to what vector instructions like, 64 bytes at
// most.
func (s source) renditions() (least, most float64) {
	for _, p := range s.profiles {
		w, h := p["width"].(int), p["height"].(int)
		least += float64(w*h) * 1.5
		most += float64((w+63)&^63*h) * 1.5
	}
	return least, most
}
