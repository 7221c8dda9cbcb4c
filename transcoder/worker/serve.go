package worker

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

// maxOpen bounds the requests in a worker. The control process stays far below.
const maxOpen = 4096

// server is the child's side of the protocol.
type server struct {
	conn   *Conn
	arena  *ArenaView
	engine transcoder.Engine
	pings  chan uint64

	mu       sync.Mutex // covers the fields below
	requests map[uint64]*request
	// lastJob holds, per session, the end of its latest job.
	lastJob map[core.SessionID]chan struct{}
}

// request is a job, a probe or a count, from its announcement to its answer.
type request struct {
	kind     MessageType        // TypeJob, TypeProbe, TypeLimit, TypeSound or TypeImage
	job      *core.TranscodeJob // of TypeJob
	encoders int                // of TypeLimit
	to       core.SoundFormat   // of TypeSound
	limit    int64              // of TypeSound and TypeImage
	payload  *Payload
	input    []byte
	slot     int // where input lies and the result may go, or 0
	ctx      context.Context
	cancel   context.CancelFunc
}

// Serve greets the control process and answers it until it closes the socket.
// Jobs run each in a goroutine; those that are in native code when Serve returns
// are abandoned; process exit ends them.
//
// arena is the memory shared with the control process.
func Serve(ctx context.Context, conn *Conn, arena *ArenaView, engine transcoder.Engine, missing []string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{
		conn: conn, arena: arena, engine: engine, pings: make(chan uint64, 1),
		requests: make(map[uint64]*request), lastJob: make(map[core.SessionID]chan struct{}),
	}
	hello := HelloMessage{Version: ProtocolVersion, Device: engine.Device(), Missing: missing}
	if err := conn.Send(TypeHello, 0, EncodeHello(hello)); err != nil {
		return err
	}
	// Pongs have a goroutine of their own: neither codecs nor large results nor
	// the reading of large inputs keep them waiting.
	go s.pong(ctx)
	for {
		h, err := conn.Next()
		if err == nil {
			err = s.take(ctx, h)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *server) pong(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case id := <-s.pings:
			if s.conn.Send(TypePong, id, nil) != nil {
				return
			}
		}
	}
}

func (s *server) take(ctx context.Context, h MessageHeader) error {
	if h.Type == TypeData {
		return s.takeData(h)
	}
	body, err := s.conn.Message(h)
	if err != nil {
		return err
	}
	switch h.Type {
	case TypePing:
		select {
		case s.pings <- h.ID:
		default: // one is waiting to be answered: one pong answers both
		}
		return nil
	case TypeCancel:
		if r := s.request(h.ID); r != nil {
			r.cancel()
		}
		return nil
	case TypeEndSession:
		id, err := DecodeSession(body)
		if err == nil {
			s.engine.EndSession(id)
		}
		return err
	case TypeJob:
		job, place, err := DecodeJob(body)
		if err != nil {
			return err
		}
		return s.announce(ctx, h.ID, &request{kind: h.Type, job: job}, place)
	case TypeProbe:
		place, err := DecodeInputPlace(body)
		if err != nil {
			return err
		}
		return s.announce(ctx, h.ID, &request{kind: h.Type}, place)
	case TypeSound:
		sound, err := DecodeSound(body)
		if err != nil {
			return err
		}
		return s.announce(ctx, h.ID, &request{kind: h.Type, to: sound.To, limit: sound.Limit}, sound.Place)
	case TypeImage:
		i, err := DecodeImage(body)
		if err != nil {
			return err
		}
		return s.announce(ctx, h.ID, &request{kind: h.Type, limit: i.Limit}, i.Place)
	case TypeLimit:
		n, err := DecodeCount(body)
		if err != nil {
			return err
		}
		return s.announce(ctx, h.ID, &request{kind: h.Type, encoders: n}, InputPlace{})
	}
	return &ProtocolError{Reason: "a message that only a worker may send"}
}

// announce finds a request's input, or makes room for it when it is to come
// through the socket.
func (s *server) announce(ctx context.Context, id uint64, r *request, place InputPlace) (err error) {
	r.slot, r.payload = place.Slot, &Payload{}
	if place.Slot > 0 {
		r.input, err = s.arena.Input(place.Slot, place.Len)
		if err != nil {
			return err
		}
	} else {
		var bufs [][]byte
		r.payload, bufs = NewPayload(place.Len)
		r.input = bufs[0]
	}
	r.ctx, r.cancel = context.WithCancel(ctx)
	s.mu.Lock()
	_, twice := s.requests[id]
	full := len(s.requests) >= maxOpen
	if !twice && !full {
		s.requests[id] = r
	}
	s.mu.Unlock()
	if twice || full {
		r.cancel()
		return &ProtocolError{Reason: "a request too many"}
	}
	if r.payload.Complete() {
		s.start(id, r)
	}
	return nil
}

func (s *server) takeData(h MessageHeader) error {
	r := s.request(h.ID)
	if r == nil {
		return &ProtocolError{Reason: "a payload without its message"}
	}
	if err := r.payload.Receive(s.conn, h); err != nil {
		return err
	}
	if r.payload.Complete() {
		s.start(h.ID, r)
	}
	return nil
}

func (s *server) request(id uint64) *request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[id]
}

// start lets a request that has all its input run. Jobs of one session wait for
// each other: a canceled one may still be in native code.
func (s *server) start(id uint64, r *request) {
	if r.job == nil {
		go s.answer(id, r)
		return
	}
	mine := make(chan struct{})
	s.mu.Lock()
	before := s.lastJob[r.job.Session]
	s.lastJob[r.job.Session] = mine
	s.mu.Unlock()
	go func() {
		defer s.leave(r.job.Session, mine)
		if before != nil {
			<-before
		}
		s.answer(id, r)
	}()
}

func (s *server) leave(session core.SessionID, mine chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(mine)
	if s.lastJob[session] == mine {
		delete(s.lastJob, session)
	}
}

// answer does the work and sends what came of it. A send that fails needs no
// report: the control process is gone, and Serve finds that.
func (s *server) answer(id uint64, r *request) {
	defer func() {
		r.cancel()
		s.mu.Lock()
		delete(s.requests, id)
		s.mu.Unlock()
	}()
	switch r.kind {
	case TypeProbe:
		s.probe(id, r)
		return
	case TypeLimit:
		s.count(id, r)
		return
	}
	res, err := s.work(r)
	if err != nil {
		_ = s.conn.Send(TypeError, id, EncodeError(err))
		return
	}
	payloads := ResultPayloads(res)
	// The input is no longer read: its place is free for the result.
	inSlot := s.arena.Leave(r.slot, payloads)
	if inSlot {
		payloads = nil
	}
	_ = s.conn.Send(TypeResult, id, EncodeResult(res, inSlot), payloads...)
}

// work runs the request.
func (s *server) work(r *request) (*core.TranscodeResult, error) {
	switch r.kind {
	case TypeSound:
		return s.sound(r)
	case TypeImage:
		return decodeImage(r)
	}
	r.job.Input = r.input
	return s.engine.Transcode(r.ctx, r.job)
}

func (s *server) probe(id uint64, r *request) {
	p, ok := s.engine.(transcoder.Prober)
	if !ok {
		_ = s.conn.Send(TypeError, id, EncodeError(fault.New(fault.TranscoderInvalidInput, "probe",
			"this engine does not probe")))
		return
	}
	info, err := p.Probe(r.ctx, r.input)
	if err != nil {
		_ = s.conn.Send(TypeError, id, EncodeError(err))
		return
	}
	_ = s.conn.Send(TypeProbed, id, EncodeProbed(info))
}
