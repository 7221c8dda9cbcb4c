package media

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/orchestrator"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// Tools are for the AI part: the length of audio, and videos of images. Both are
// hostile bytes, which this process does not decode.
type Tools interface {
	orchestrator.FrameEncoder
	pipeline.MediaTools
	// Transcoder is for the sample pipeline of live video.
	core.Transcoder
}

// mediaOnDemand is media workers that start when the first audio comes: most nodes
// never see any, and a worker takes memory.
type mediaOnDemand struct {
	start func(context.Context) (*pool.Pool, error)
	// early starts them with the node: a live stream that comes from an orchestrator that failed
	// does not wait for them.
	early bool

	// mu is held while they start, so that they start once.
	mu     sync.Mutex
	pool   *pool.Pool
	closed bool
}

// NewOnDemand calls start for the first work, or early.
func NewOnDemand(early bool, start func(context.Context) (*pool.Pool, error)) *mediaOnDemand {
	return &mediaOnDemand{early: early, start: start}
}

// Name returns the component's name.
func (m *mediaOnDemand) Name() string { return "media workers" }

// Run ends the workers, if there are any, when ctx ends.
func (m *mediaOnDemand) Run(ctx context.Context, ready func()) error {
	ready()
	var starts sync.WaitGroup
	if m.early {
		starts.Go(func() { _, _ = m.workers(ctx) }) // the first work tries again, and says why it fails
	}
	<-ctx.Done()
	starts.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	if m.pool == nil {
		return nil
	}
	return m.pool.Close()
}

// Duration returns the length of an audio file.
func (m *mediaOnDemand) Duration(ctx context.Context, data []byte) (time.Duration, error) {
	p, err := m.workers(ctx)
	if err != nil {
		return 0, err
	}
	return mediaTools{p}.Duration(ctx, data)
}

// ConvertSound makes a file of another format of a sound file.
func (m *mediaOnDemand) ConvertSound(ctx context.Context, sound []byte, to core.SoundFormat, limit int64) (
	[]byte, error) {
	p, err := m.workers(ctx)
	if err != nil {
		return nil, err
	}
	return mediaTools{p}.ConvertSound(ctx, sound, to, limit)
}

// DecodeImage returns the pixels of an image.
func (m *mediaOnDemand) DecodeImage(ctx context.Context, image []byte, limit int64) ([]byte, error) {
	p, err := m.workers(ctx)
	if err != nil {
		return nil, err
	}
	return mediaTools{p}.DecodeImage(ctx, image, limit)
}

// EncodeMP4 makes a video of PNG frames.
func (m *mediaOnDemand) EncodeMP4(ctx context.Context, frames [][]byte, fps float64, width, height int) (
	[]byte, error) {
	p, err := m.workers(ctx)
	if err != nil {
		return nil, err
	}
	return mediaTools{p}.EncodeMP4(ctx, frames, fps, width, height)
}

// Transcode does a segment on the CPU.
func (m *mediaOnDemand) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	p, err := m.workers(ctx)
	if err != nil {
		return nil, err
	}
	return p.Transcode(ctx, job)
}

// EndSession forgets a session of Transcode.
func (m *mediaOnDemand) EndSession(id core.SessionID) {
	m.mu.Lock()
	p := m.pool
	m.mu.Unlock()
	if p != nil {
		p.EndSession(id)
	}
}

// workers starts them if need be. They outlive the request that they start for.
func (m *mediaOnDemand) workers(ctx context.Context) (*pool.Pool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, fault.New(fault.WorkerClosed, "measure audio", "")
	}
	if m.pool == nil {
		p, err := m.start(context.WithoutCancel(ctx))
		if err != nil {
			return nil, err
		}
		m.pool = p
	}
	return m.pool, nil
}

// NewTools lets the AI part use the workers of p.
func NewTools(p *pool.Pool) Tools { return mediaTools{p} }

// mediaTools lets the AI part use the media workers: for the length of audio and for
// videos of frames. Both are hostile bytes, which this process does not decode.
type mediaTools struct{ pool *pool.Pool }

// measureTime is how long the measuring of a file may take, the start of its process included.
const measureTime = 10 * time.Second

// Duration returns the length of an audio file. It is measured in a process of its own: files that no
// job was paid for yet end and block nothing else.
func (m mediaTools) Duration(ctx context.Context, data []byte) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, measureTime)
	defer cancel()
	info, err := m.pool.ProbeAlone(ctx, data)
	if err != nil {
		return 0, err
	}
	return info.Duration, nil
}

// convertTime is how long a conversion may take, the start of its process included.
const convertTime = time.Minute

// ConvertSound makes a file of another format of a sound file, in a process of its own as Duration does.
func (m mediaTools) ConvertSound(ctx context.Context, sound []byte, to core.SoundFormat, limit int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, convertTime)
	defer cancel()
	return m.pool.ConvertSoundAlone(ctx, sound, to, limit)
}

// imageTime is how long the decoding of an image may take, the start of its process included.
const imageTime = 15 * time.Second

// DecodeImage returns the pixels of an image, which is decoded in a process of its own as sound is converted.
func (m mediaTools) DecodeImage(ctx context.Context, image []byte, limit int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, imageTime)
	defer cancel()
	return m.pool.DecodeImageAlone(ctx, image, limit)
}

// Transcode does a segment on the CPU.
func (m mediaTools) Transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	return m.pool.Transcode(ctx, job)
}

// EndSession forgets a session of Transcode.
func (m mediaTools) EndSession(id core.SessionID) { m.pool.EndSession(id) }

// EncodeMP4 makes a video of PNG frames.
func (m mediaTools) EncodeMP4(ctx context.Context, frames [][]byte, fps float64, width, height int) ([]byte, error) {
	var id [8]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	return transcoder.EncodeStills(ctx, m.pool, core.SessionID("frames-"+hex.EncodeToString(id[:])), frames, fps, width,
		height)
}
