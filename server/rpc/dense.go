package rpc

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// An element of a list takes some hundred bytes of memory, and two where it is empty and on
// its way. A message may have freeParts of them, and one more for each partBytes of its
// length: with names and numbers in them they are longer.
const freeParts, partBytes = 512, 6

var errDense = errors.New("a message with too many parts for its length")

// Unmarshal reads a message of others, unless it would take far more memory than it has
// bytes.
func Unmarshal(b []byte, m proto.Message) error {
	most := freeParts + len(b)/partBytes
	if n := parts(b, m.ProtoReflect().Descriptor()); n > most {
		return fmt.Errorf("%w: %d in %d bytes", errDense, n, len(b))
	}
	return proto.Unmarshal(b, m)
}

// parts counts the messages in a message. What is none ends the count; decoding finds that.
func parts(b []byte, d protoreflect.MessageDescriptor) (n int) {
	for len(b) > 0 {
		number, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return n
		}
		value := protowire.ConsumeFieldValue(number, kind, b[size:])
		if value < 0 {
			return n
		}
		field := d.Fields().ByNumber(number)
		if kind == protowire.BytesType && field != nil && field.Message() != nil {
			inner, _ := protowire.ConsumeBytes(b[size:])
			n += 1 + parts(inner, field.Message())
		}
		b = b[size+value:]
	}
	return n
}
