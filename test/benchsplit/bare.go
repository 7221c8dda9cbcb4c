package main

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"time"

	"github.com/tuttinode/tutti/test/figures"
)

const barePort = ":7001"

// bare is a TCP connection between the two hosts of a set-up, without TLS and without
// us: as many bytes there and back as a segment and its renditions have, after the same
// pauses, take what the path itself takes.
type bare struct{ net.Conn }

// bare begins to listen on the worker's host and connects.
func (u *setup) bare(ctx context.Context) (*bare, error) {
	if u.echo == nil {
		l, err := u.rig.Listen(u.rig.Addr.String() + barePort)
		if err != nil {
			return nil, err
		}
		u.echo = l
		u.b.Cleanup(func() { l.Close() })
		go serveBare(l)
	}
	c, err := u.host.Dial(ctx, "tcp", u.rig.Addr.String()+barePort)
	if err != nil {
		return nil, err
	}
	return &bare{c}, nil
}

func serveBare(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			for answerBare(c) == nil {
			}
		}()
	}
}

// answerBare reads two lengths, what the first says, and writes what the second says.
func answerBare(c net.Conn) error {
	var head [8]byte
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return err
	}
	if _, err := io.CopyN(io.Discard, c, int64(binary.BigEndian.Uint32(head[:]))); err != nil {
		return err
	}
	_, err := c.Write(make([]byte, binary.BigEndian.Uint32(head[4:])))
	return err
}

// trip takes so many bytes there and back, in milliseconds.
func (b *bare) trip(there, back int) (float64, error) {
	begin := time.Now()
	if err := b.SetDeadline(begin.Add(30 * time.Second)); err != nil {
		return 0, err
	}
	out := make([]byte, 8+there)
	binary.BigEndian.PutUint32(out, uint32(there))
	binary.BigEndian.PutUint32(out[4:], uint32(back))
	if _, err := b.Write(out); err != nil {
		return 0, err
	}
	_, err := io.CopyN(io.Discard, b, int64(back))
	return figures.Millis(time.Since(begin)), err
}
