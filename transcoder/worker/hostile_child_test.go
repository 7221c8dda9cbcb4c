package worker_test

import (
	"bytes"
	"fmt"
	"net"
	"os"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// hostileArg makes the test program a media worker that was taken over: it speaks the
// protocol itself, and does what its next argument says at its first request.
const hostileArg = "be-a-hostile-worker"

// hostile is such a worker.
type hostile struct {
	conn *worker.Conn
	how  string
	// size is how many bytes a rendition has that it answers with.
	size int
}

func beHostile(how string) error {
	c, err := net.FileConn(os.NewFile(3, "socket"))
	if err != nil {
		return err
	}
	h := &hostile{conn: worker.NewConn(c), how: how}
	if _, err := fmt.Sscanf(how, "results of %d", &h.size); err == nil {
		h.how = "results"
	}
	hello := worker.EncodeHello(worker.HelloMessage{Version: worker.ProtocolVersion, Device: "cpu"})
	if err := h.conn.Send(worker.TypeHello, 0, hello); err != nil {
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
	case worker.TypePing:
		return h.conn.Send(worker.TypePong, head.ID, nil)
	case worker.TypeJob:
		job, _, err := worker.DecodeJob(body)
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
		return h.forever(func() error { return h.conn.Send(worker.TypePong, 1, nil) })
	case "pongs with text":
		return h.conn.Send(worker.TypePong, 1, make([]byte, 60<<10))
	case "log":
		text := bytes.Repeat([]byte("it goes on and on\n"), 3000)
		return h.forever(func() error { _, err := os.Stderr.Write(text); return err })
	case "a log without an end of line":
		text := make([]byte, 60<<10)
		return h.forever(func() error { _, err := os.Stderr.Write(text); return err })
	case "answers that were not asked for":
		text := worker.EncodeError(fmt.Errorf("%s", bytes.Repeat([]byte("x"), 4000)))
		return h.forever(func() error { return h.conn.Send(worker.TypeError, 1<<40, text) })
	case "data that was not announced":
		return h.forever(func() error { return h.conn.Send(worker.TypeData, 1<<40, make([]byte, 60<<10)) })
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
	return h.conn.Send(worker.TypeResult, id, worker.EncodeResult(res, false), worker.ResultPayloads(res)...)
}

// forever repeats something until the control process ends the connection.
func (h *hostile) forever(do func() error) error {
	for {
		if err := do(); err != nil {
			return err
		}
	}
}
