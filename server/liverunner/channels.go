package liverunner

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/tuttinode/tutti/core/liverunner"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/trickle"
)

const (
	// maxChannels bounds the channels of a request, maxSessionChannels those of a session.
	maxChannels        = 25
	maxSessionChannels = 64
	maxChannelName     = 128
	maxMIME            = 256
	typeBytes          = "application/octet-stream"
)

var (
	errNoChannels   = errors.New("channels is required")
	errManyChannels = errors.New("channels cannot contain more than 25 entries")
	errNoName       = errors.New("trickle channel name is required")
	errName         = errors.New("trickle channel name may only contain alphanumerics, underscores, or hyphens")
	errMIME         = errors.New("mime_type must have at most 256 bytes")
	errLongName     = errors.New("trickle channel name must have at most 128 bytes")
	errFull         = &liverunner.Refusal{
		Reason: liverunner.Full,
		Text:   "the session has too many channels",
	}
	errEnded     = &liverunner.Refusal{Reason: liverunner.Unknown, Text: "runner session not found"}
	errNoChannel = &liverunner.Refusal{Reason: liverunner.Unknown, Text: "trickle channel not found"}
)

// Channels serves channels below ChannelPath on a node without live runners, so many requests at once.
func Channels(hub *trickle.Hub, requests int) http.Handler {
	return serveChannels(hub, newSlots(requests))
}

// serveChannels serves channels below ChannelPath. The name of one that exists is a credential.
func serveChannels(hub *trickle.Hub, p *slots) http.Handler {
	serve := hub.Handler(ChannelPath)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, ChannelPath), "/")
		if hub.Channel(name) != nil {
			admission.Prove(r.Context())
		}
		p.serve(w, r, serve)
	})
}

// openChannels makes channels of a session. It stops at the first wrong entry.
func (s *Server) openChannels(w http.ResponseWriter, r *http.Request, session *liverunner.Session) {
	var want struct {
		Channels []struct {
			Name string `json:"name"`
			MIME string `json:"mime_type"`
		} `json:"channels"`
	}
	if err := decode(w, r, &want); err != nil {
		refuse(w, err)
		return
	}
	if err := bounded(len(want.Channels)); err != nil {
		refuse(w, err)
		return
	}
	var out struct {
		Channels []channel `json:"channels"`
	}
	for _, c := range want.Channels {
		name, err := channelName(c.Name)
		if err == nil && len(c.MIME) > maxMIME {
			err = errMIME
		}
		if err == nil {
			var made *trickle.Channel
			if made, err = s.openChannel(session, name, c.MIME); err == nil {
				out.Channels = append(out.Channels, s.describe(name, made))
			}
		}
		if err != nil {
			refuse(w, err)
			return
		}
	}
	writeJSON(w, out)
}

func bounded(n int) error {
	switch {
	case n == 0:
		return errNoChannels
	case n > maxChannels:
		return errManyChannels
	}
	return nil
}

// channelName is the name by which a session knows a channel.
func channelName(name string) (string, error) {
	name = strings.ReplaceAll(strings.TrimSpace(name), "/", "-")
	switch {
	case name == "":
		return "", errNoName
	case len(name) > maxChannelName:
		return "", errLongName
	case !liverunner.ValidName(name):
		return "", errName
	}
	return name, nil
}

// openChannel returns a session's channel of a name, made if there is none or if it was idle and closed.
func (s *Server) openChannel(session *liverunner.Session, name, mime string) (*trickle.Channel, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.sessions[session]
	if o == nil {
		return nil, errEnded
	}
	full := session.ID + "-" + name
	if c := o.channels[name]; c != nil && s.hub.Channel(full) == c {
		return c, nil
	}
	if len(o.channels) >= maxSessionChannels {
		return nil, errFull
	}
	if mime == "" {
		mime = typeBytes
	}
	c := s.hub.Open(session.ID, full, mime)
	o.channels[name] = c
	return c, nil
}

func (s *Server) describe(name string, c *trickle.Channel) channel {
	path := ChannelPath + c.Name()
	return channel{
		Name: name, ChannelName: c.Name(), URL: s.o.ServiceURI + path, InternalURL: s.o.InternalURI + path, MIME: c.MIME(),
	}
}

// closeChannels closes channels of a session. It stops at the first that is not there.
func (s *Server) closeChannels(w http.ResponseWriter, r *http.Request, session *liverunner.Session) {
	var want struct {
		Channels []string `json:"channels"`
	}
	err := decode(w, r, &want)
	if err == nil {
		err = bounded(len(want.Channels))
	}
	for _, c := range want.Channels {
		if err == nil {
			err = s.closeChannel(session, c)
		}
	}
	if err != nil {
		refuse(w, err)
		return
	}
	writeJSON(w, struct {
		Deleted []string `json:"deleted"`
	}{want.Channels})
}

func (s *Server) closeChannel(session *liverunner.Session, text string) error {
	name, err := channelName(text)
	if err != nil {
		return err
	}
	s.mu.Lock()
	var c *trickle.Channel
	if o := s.sessions[session]; o != nil {
		c = o.channels[name]
		delete(o.channels, name)
	}
	s.mu.Unlock()
	if c == nil {
		return errNoChannel
	}
	s.hub.Close(c.Name())
	return nil
}

// decode reads a JSON body.
func decode(w http.ResponseWriter, r *http.Request, into any) error {
	data, err := readBody(w, r)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, into)
}
