package remote

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/server/rpc"
)

const (
	// maxRegistration bounds a registration's message.
	maxRegistration = 1 << 20
	// maxUnproved bounds what is read of one before its secret, which is its first field.
	maxUnproved = 16 << 10
	secretField = 1
	// prefixBytes come before every message: whether it is compressed, and its length.
	prefixBytes = 5
	grpcType    = "application/grpc"
)

// Endpoint is a gRPC service whose calls are registrations: one request message and a
// long-lived response stream.
type Endpoint struct {
	Desc   *grpc.ServiceDesc
	Server any
	// Secrets, one of which a long message begins with; nil takes all.
	Secrets *Secrets
}

// streams finds the calls of endpoints by their paths.
func streams(all []Endpoint) map[string]func(*direct) error {
	byPath := make(map[string]func(*direct) error)
	for _, e := range all {
		for _, s := range e.Desc.Streams {
			byPath["/"+e.Desc.ServiceName+"/"+s.StreamName] = func(d *direct) error {
				d.secrets = e.Secrets
				return s.Handler(e.Server, d)
			}
		}
	}
	return byPath
}

type directKey struct{}

// direct is a registration's stream without a gRPC server, served by the handler's own
// goroutine. gRPC's server would keep two more goroutines and twice the memory for each
// worker, most of them idle.
type direct struct {
	w   http.ResponseWriter
	r   *http.Request
	ctx context.Context
	// begun: the response header is sent.
	begun bool
	md    metadata.MD
	// secrets are those of its Endpoint.
	secrets *Secrets
}

// serveDirect answers one call.
func serveDirect(w http.ResponseWriter, r *http.Request, call func(*direct) error) {
	if r.Method != http.MethodPost || !plainGRPC(r.Header.Get("Content-Type")) {
		http.Error(w, "UnsupportedMediaType", http.StatusUnsupportedMediaType)
		return
	}
	d := &direct{w: w, r: r}
	d.ctx = context.WithValue(r.Context(), directKey{}, d)
	d.end(call(d))
}

// plainGRPC reports whether a content type is gRPC's with protobuf messages.
func plainGRPC(kind string) bool {
	kind, _, _ = strings.Cut(kind, ";")
	return kind == grpcType || kind == grpcType+"+proto"
}

// directOf returns the direct stream behind a service's, nil where gRPC serves.
func directOf(stream grpc.ServerStream) *direct {
	d, _ := stream.Context().Value(directKey{}).(*direct)
	return d
}

// Context ends with the call.
func (d *direct) Context() context.Context { return d.ctx }

// SetHeader adds to what SendHeader sends.
func (d *direct) SetHeader(md metadata.MD) error {
	d.md = metadata.Join(d.md, md)
	return nil
}

// SendHeader begins the response.
func (d *direct) SendHeader(md metadata.MD) error {
	if d.begun {
		return errors.New("the header was sent before")
	}
	d.md = metadata.Join(d.md, md)
	d.begin()
	return http.NewResponseController(d.w).Flush()
}

// SetTrailer does nothing: a registration ends with a status only.
func (d *direct) SetTrailer(metadata.MD) {}

func (d *direct) begin() {
	if d.begun {
		return
	}
	d.begun = true
	h := d.w.Header()
	h.Set("Content-Type", grpcType)
	for k, values := range d.md {
		for _, v := range values {
			h.Add(k, v)
		}
	}
	d.md = nil
	d.w.WriteHeader(http.StatusOK)
}

// RecvMsg reads the call's message.
func (d *direct) RecvMsg(m any) error {
	var prefix [prefixBytes]byte
	if _, err := io.ReadFull(d.r.Body, prefix[:]); err != nil {
		return status.Error(codes.Internal, "the registration broke off")
	}
	n := binary.BigEndian.Uint32(prefix[1:])
	switch {
	case prefix[0] != 0:
		return status.Error(codes.Unimplemented, "compressed messages are not taken")
	case n > maxRegistration:
		return status.Error(codes.ResourceExhausted, "the registration is too large")
	}
	b, err := d.message(int(n))
	if err != nil {
		return status.Error(codes.Internal, "the registration broke off")
	}
	if err := rpc.Unmarshal(b, m.(proto.Message)); err != nil {
		return status.Error(codes.Internal, "the registration cannot be read")
	}
	return nil
}

// message reads a message of n bytes. Of a long one without a right secret at its beginning it is what there is of
// that, whose service refuses it.
func (d *direct) message(n int) ([]byte, error) {
	head, err := io.ReadAll(io.LimitReader(d.r.Body, int64(min(n, maxUnproved))))
	switch {
	case err != nil:
		return nil, err
	case len(head) < min(n, maxUnproved):
		return nil, io.ErrUnexpectedEOF
	case n <= maxUnproved:
		return head, nil
	}
	if d.secrets != nil {
		secret, size := secretOf(head)
		if !d.secrets.Match(secret) {
			return head[:size], nil
		}
	}
	rest, err := io.ReadAll(io.LimitReader(d.r.Body, int64(n-len(head))))
	if err == nil && len(head)+len(rest) < n {
		err = io.ErrUnexpectedEOF
	}
	return append(head, rest...), err
}

// secretOf is the secret at the beginning of a registration, where every encoder puts it, and its bytes there; "" and
// none without one.
func secretOf(head []byte) (secret string, size int) {
	field, kind, tag := protowire.ConsumeTag(head)
	if tag < 0 || field != secretField || kind != protowire.BytesType {
		return "", 0
	}
	text, n := protowire.ConsumeString(head[tag:])
	if n < 0 {
		return "", 0
	}
	return text, tag + n
}

// SendMsg sends a message, and returns when it is written.
func (d *direct) SendMsg(m any) error {
	b, err := encodeMessage(m)
	if err != nil {
		return err
	}
	return d.send(b)
}

// encodeMessage makes a message's bytes with the prefix.
func encodeMessage(m any) ([]byte, error) {
	msg := m.(proto.Message)
	size := proto.Size(msg)
	b, err := proto.MarshalOptions{UseCachedSize: true}.MarshalAppend(make([]byte, prefixBytes, prefixBytes+size), msg)
	if err != nil {
		return nil, err
	}
	binary.BigEndian.PutUint32(b[1:], uint32(len(b)-prefixBytes))
	return b, nil
}

func (d *direct) send(b []byte) error {
	d.begin()
	if _, err := d.w.Write(b); err != nil {
		return err
	}
	return http.NewResponseController(d.w).Flush()
}

// end ends the answer with the status of err.
func (d *direct) end(err error) {
	d.begin()
	s := status.Convert(err)
	h := d.w.Header()
	h.Set(http.TrailerPrefix+"Grpc-Status", strconv.Itoa(int(s.Code())))
	if text := s.Message(); text != "" {
		h.Set(http.TrailerPrefix+"Grpc-Message", percent(text))
	}
}

// percent writes a text as gRPC's trailers carry it.
func percent(text string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for _, c := range []byte(text) {
		if c >= ' ' && c <= '~' && c != '%' {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
	return b.String()
}
