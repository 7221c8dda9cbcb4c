package live

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/bluenviron/gortmplib/pkg/amf0"
	"github.com/bluenviron/gortmplib/pkg/handshake"
	"github.com/bluenviron/gortmplib/pkg/message"
)

const (
	// rtmpWindow is after how many bytes each side acknowledges, rtmpChunk the length of the chunks that are sent.
	rtmpWindow, rtmpChunk = 2_500_000, 64 << 10
	// commandStream and mediaStream are where commands go, messageStream is the number of the stream.
	commandStream, mediaStream = 3, 4
	messageStream              = 1 << 24
	// maxAnswers bounds the messages before the answer to a command.
	maxAnswers = 100
)

var errRefusedRTMP = errors.New("the media server refuses the stream, or does not answer")

// unreadable turns a panic of the library into an error: what comes is a stranger's, and ends no more than the
// connection.
func unreadable(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("the stream cannot be parsed: %v", v)
	}
}

// begin shakes hands, and begins to play or to publish the stream of an address.
func (c *rtmpConn) begin(u *url.URL, publish bool) (err error) {
	defer unreadable(&err)
	if _, _, err := handshake.DoClient(c.count, false, false); err != nil {
		return fmt.Errorf("shake hands: %w", err)
	}
	c.rw = message.NewReadWriter(c.count, c.count, false)
	app, key := streamOf(u)
	err = c.ask(1, "", &message.SetWindowAckSize{Value: rtmpWindow},
		&message.SetPeerBandwidth{Value: rtmpWindow, Type: 2}, &message.SetChunkSize{Value: rtmpChunk},
		command(commandStream, 1, "connect", amf0.Object{{Key: "app", Value: app},
			{Key: "flashVer", Value: "LNX 9,0,124,2"}, {Key: "tcUrl", Value: u.Scheme + "://" + u.Host + "/" + app},
			{Key: "objectEncoding", Value: float64(0)}}))
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	if publish {
		return c.publish(app, key)
	}
	if err := c.ask(2, "", command(commandStream, 2, "createStream", nil)); err != nil {
		return fmt.Errorf("create a stream: %w", err)
	}
	play := command(mediaStream, 3, "play", nil, key)
	play.MessageStreamID = messageStream
	if err := c.ask(3, "status", &message.UserControlSetBufferLength{BufferLength: 100}, play); err != nil {
		return fmt.Errorf("play: %w", err)
	}
	return nil
}

func (c *rtmpConn) publish(app, key string) error {
	err := c.ask(4, "", command(commandStream, 2, "releaseStream", nil, key),
		command(commandStream, 3, "FCPublish", nil, key), command(commandStream, 4, "createStream", nil))
	if err != nil {
		return fmt.Errorf("create a stream: %w", err)
	}
	publish := command(mediaStream, 5, "publish", nil, key, app)
	publish.MessageStreamID = messageStream
	if err := c.ask(5, "status", publish); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	return nil
}

func command(stream byte, id int, name string, args ...any) *message.CommandAMF0 {
	return &message.CommandAMF0{ChunkStreamID: stream, CommandID: id, Name: name, Arguments: args}
}

// ask sends messages and waits for the answer to a command: a result, or a status of the level where one is given.
func (c *rtmpConn) ask(id int, level string, all ...message.Message) error {
	for _, m := range all {
		if err := c.Write(m); err != nil {
			return err
		}
	}
	for range maxAnswers {
		m, err := c.Read()
		if err != nil {
			return err
		}
		a, ok := m.(*message.CommandAMF0)
		if !ok || a.CommandID != id && a.CommandID != 0 {
			continue
		}
		switch {
		case level == "" && a.Name == "_result", level != "" && a.Name == "onStatus" && levelOf(a) == level:
			return nil
		case a.Name == "_error", a.Name == "onStatus":
			return errRefusedRTMP
		}
	}
	return errRefusedRTMP
}

// levelOf is the level of a status.
func levelOf(c *message.CommandAMF0) (level string) {
	for _, arg := range c.Arguments {
		switch o := arg.(type) {
		case amf0.Object:
			level, _ = o.GetString("level")
			return level
		case amf0.ECMAArray:
			level, _ = amf0.Object(o).GetString("level")
			return level
		}
	}
	return ""
}

// streamOf is the application and the key in an address: of /app/key the two parts, of a longer path the first two are
// the application.
func streamOf(u *url.URL) (app, key string) {
	path := strings.TrimPrefix(u.RequestURI(), "/")
	parts := strings.SplitN(path, "/", 3)
	switch len(parts) {
	case 1:
		return parts[0], ""
	case 2:
		return parts[0], parts[1]
	}
	return parts[0] + "/" + parts[1], parts[2]
}
