package worker_test

import (
	"bytes"
	"fmt"
	"net"
	"os"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/transcoder/worker/frame"
)

// hostileArg makes the test program a media worker that was taken over: it speaks the
// protocol itself, and does what its next argument says at its first request.
const hostileArg = "be-a-hostile-worker"

// hostile is such a worker.
type hostile struct {
	conn *frame.Conn
	how  string
	// size is how many bytes a rendition has that it answers with.
	size int
}

func beHostile(how string) error {
	c, err := net.FileConn(os.NewFile(3, "socket"))
	if err != nil {
		return err
	}
	h := &hostile{conn: frame.NewConn(c), how: how}
	if _, err := fmt.Sscanf(how, "results of %d", &h.size); err == nil {
		h.how = "results"
	}
	hello := frame.EncodeHello(frame.Hello{Version: frame.Version, Device: "cpu"})
	if err := h.conn.Send(frame.TypeHello, 0, hello); err != nil {
		return err
	}
	for {
		if err := h.next(); err != nil {
			return err
		}
	}
}

// next takes a message of the control process, and answers it.
func (h *hostile) next() error {
	head, err := h.conn.Next()
	if err != nil {
		return err
	}
	body, err := h.conn.Message(head)
	if err != nil {
		return err
	}
	switch head.Type {
	case frame.TypePing:
		return h.conn.Send(frame.TypePong, head.ID, nil)
	case frame.TypeJob:
		job, _, err := frame.DecodeJob(body)
		if err != nil {
			return err
		}
		return h.attack(head.ID, len(job.Profiles))
	}
	return nil
}

func (h *hostile) attack(id uint64, renditions int) error {
	switch h.how {
	case "results":
		return h.answer(id, renditions)
	case "pongs":
		return h.forever(func() error { return h.conn.Send(frame.TypePong, 1, nil) })
	case "pongs with text":
		return h.conn.Send(frame.TypePong, 1, make([]byte, 60<<10))
	case "log":
		text := bytes.Repeat([]byte("it goes on and on\n"), 3000)
		return h.forever(func() error { _, err := os.Stderr.Write(text); return err })
	case "a log without an end of line":
		text := make([]byte, 60<<10)
		return h.forever(func() error { _, err := os.Stderr.Write(text); return err })
	case "answers that were not asked for":
		text := frame.EncodeError(fmt.Errorf("%s", bytes.Repeat([]byte("x"), 4000)))
		return h.forever(func() error { return h.conn.Send(frame.TypeError, 1<<40, text) })
	case "data that was not announced":
		return h.forever(func() error { return h.conn.Send(frame.TypeData, 1<<40, make([]byte, 60<<10)) })
	case "two answers":
		if err := h.answer(id, renditions); err != nil {
			return err
		}
		return h.answer(id, renditions)
	}
	return fmt.Errorf("no such attack: %s", h.how)
}

// answer sends a result with so many renditions of the chosen size, through the socket.
func (h *hostile) answer(id uint64, renditions int) error {
	res := &core.TranscodeResult{Renditions: make([]core.Rendition, renditions)}
	data := make([]byte, h.size)
	for i := range res.Renditions {
		res.Renditions[i].Data = data
	}
	return h.conn.Send(frame.TypeResult, id, frame.EncodeResult(res, false), frame.Payloads(res)...)
}

// forever repeats something until the control process ends the connection.
func (h *hostile) forever(do func() error) error {
	for {
		if err := do(); err != nil {
			return err
		}
	}
}
