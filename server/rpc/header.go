package rpc

import (
	"encoding/base64"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/fault"
)

// MaxHeaderBytes bounds a Livepeer-Payment or Livepeer-Segment header that is
// decoded, in bytes of base64. A payment of 600 tickets takes about 60 KB.
const MaxHeaderBytes = 512 << 10

// MaxTickets bounds the tickets of a payment that is decoded; as many as have room in
// a header, as each has a signature.
const MaxTickets = 6000

// EncodeHeader writes a message as the value of a Livepeer-Payment or
// Livepeer-Segment header: standard base64 of its bytes, fields in ascending
// order and map keys sorted. An empty message is an empty value.
func EncodeHeader(m proto.Message) (string, error) {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("encode %s: %w", m.ProtoReflect().Descriptor().FullName(), err)
	}
	return base64.StdEncoding.EncodeToString(b), nil
}

// DecodeSegData reads a Livepeer-Segment header. Errors are faults
// ErrorSegEncoding and SegmentMessage. An empty header is an empty message.
func DecodeSegData(header string) (*SegData, error) {
	const op = "decode segment header"
	b, err := decodeBase64(header)
	if err != nil {
		return nil, fault.Wrap(fault.ErrorSegEncoding, op, err)
	}
	m := new(SegData)
	if err := Unmarshal(b, m); err != nil {
		return nil, &fault.Fault{Code: fault.SegmentMessage, Op: op, Detail: "protobuf unmarshal error", Err: err}
	}
	return m, nil
}

// DecodePayment reads a Livepeer-Payment header. Absent and empty are the same,
// an empty message, as gateways send it off-chain. Errors are faults
// PaymentEncoding and PaymentMessage; their detail follows the protocol's text.
func DecodePayment(header string) (*Payment, error) {
	const op = "decode payment header"
	b, err := decodeBase64(header)
	if err != nil {
		return nil, &fault.Fault{Code: fault.PaymentEncoding, Op: op, Detail: err.Error(), Err: err}
	}
	m := new(Payment)
	if n := countTickets(b); n > MaxTickets {
		return nil, fault.New(fault.PaymentMessage, op, fmt.Sprintf("%d tickets in one payment are more than %d", n,
			MaxTickets))
	}
	if err := proto.Unmarshal(b, m); err != nil {
		return nil, &fault.Fault{Code: fault.PaymentMessage, Op: op, Detail: err.Error(), Err: err}
	}
	return m, nil
}

// ticketsField is the number of ticket_sender_params in a Payment.
const ticketsField = 4

// countTickets counts the tickets of a payment before anything is made of them. What
// is no message ends the count; decoding finds that.
func countTickets(b []byte) (n int) {
	for len(b) > 0 {
		field, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return n
		}
		if field == ticketsField {
			n++
		}
		value := protowire.ConsumeFieldValue(field, kind, b[size:])
		if value < 0 {
			return n
		}
		b = b[size+value:]
	}
	return n
}

func decodeBase64(header string) ([]byte, error) {
	if len(header) > MaxHeaderBytes {
		return nil, fmt.Errorf("header of %d bytes is longer than %d", len(header), MaxHeaderBytes)
	}
	return base64.StdEncoding.DecodeString(header)
}
