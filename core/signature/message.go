package signature

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/ethereum/go-ethereum/common"
)

// Message is what an account's key may sign as a personal message (EIP-191). Only the
// functions of this file make one, each for one purpose, and no two of them can make
// the same bytes: a signature that one gives away is worth nothing elsewhere.
//
//	purpose      chosen by                 what is hashed, or signed as it is
//	ping         any peer                  1 to 31 bytes, hashed
//	request      fixed                     42 bytes: the account's address as text, hashed
//	segment      clients, orchestrators    a segment's description, from 64 bytes, no ticket of the account, hashed
//	result       gateways, indirectly      hashes of 32 bytes each, hashed
//	ticket       orchestrators             168 or 232 bytes: a ticket of the account, hashed
//	job          clients                   JSON objects as text, no ticket of the account, hashed
//	text         the operator              printable text of any length but 32 bytes, signed as it is
//	signer state the remote signer         a JSON object with a field StateID, signed as it is, which no text is
//
// What is hashed is signed as 32 bytes, and EIP-191 signs the length too, so no text
// is a hash. A segment's 24 zero bytes before its number keep it apart from hashes.
// Typed documents (EIP-712) and transactions begin with other bytes than EIP-191.
type Message struct{ content []byte }

// Bytes returns what EIP-191 puts its prefix before; the caller only reads them. The zero
// Message has none and must not be signed.
func (m Message) Bytes() []byte { return m.content }

// Why a message is not made.
var (
	ErrPing    = errors.New("a ping's value has 1 to 31 bytes, and is no address, no number in hex and no JSON object")
	ErrSegment = errors.New("these bytes are no description of a segment, or they are those of a ticket")
	ErrTicket  = errors.New("these bytes are no ticket of the account")
	ErrText    = errors.New("this is no text that only a person would read")
	ErrJob     = errors.New("the request and the parameters of a job must be JSON objects")
	ErrState   = errors.New("this is no state of a remote signer")
)

func hashed(preimage []byte) Message {
	h := Keccak256(preimage)
	return Message{h[:]}
}

// maxPing is the longest value of a ping: one byte less than a hash has, because
// orchestrators sign hashes of hashes.
const maxPing = HashSize - 1

// PingMessage is for a ping's value, which any peer chooses. The error is ErrPing.
func PingMessage(value []byte) (Message, error) {
	begin := bytes.TrimLeft(value, " \t\r\n")
	switch {
	case len(value) == 0, len(value) > maxPing,
		bytes.HasPrefix(begin, []byte("{")), // job requests are JSON
		bytes.HasPrefix(value, []byte("0x")), bytes.HasPrefix(value, []byte("0X")),
		len(value) == common.AddressLength && !printable(value):
		return Message{}, ErrPing
	}
	return hashed(value), nil
}

// RequestMessage is for a gateway's requests for terms.
func RequestMessage(account common.Address) Message { return hashed(Request(account)) }

// SegmentMessage is for what Segment made. The client that pushes a stream, and orchestrators, choose parts
// of it; a description that looks like a ticket of the account is ErrSegment.
func SegmentMessage(account common.Address, description []byte) (Message, error) {
	if !isDescription(description) || IsTicket(account, description) {
		return Message{}, ErrSegment
	}
	return hashed(description), nil
}

// isDescription reports bytes that Segment can have made: a name, a number of which at
// most the last eight bytes are used, a hash, and eight hex digits for each profile.
func isDescription(b []byte) bool {
	var zeros [HashSize - 8]byte
	for name := len(b) - 2*HashSize; name >= 0; name -= 8 {
		if bytes.HasPrefix(b[name:], zeros[:]) {
			return true
		}
		if digits := b[name+2*HashSize-8 : name+2*HashSize]; bytes.ContainsFunc(digits, notDigit) {
			return false
		}
	}
	return false
}

// notDigit reports what is no digit of a lower-case hex number.
func notDigit(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) }

// ResultMessage is for a result: the hashes of its renditions in profile order.
func ResultMessage(hashes [][HashSize]byte) Message {
	h := Result(hashes)
	return Message{h[:]}
}

// How long a ticket is that is hashed, without and with a round, and where in it the
// sender is.
const (
	ticketBytes      = 168
	roundTicketBytes = 232
	ticketSenderAt   = 20
)

// IsTicket reports whether bytes would be taken for a ticket that account sends.
func IsTicket(account common.Address, b []byte) bool {
	return (len(b) == ticketBytes || len(b) == roundTicketBytes) &&
		bytes.Equal(b[ticketSenderAt:ticketSenderAt+common.AddressLength], account[:])
}

// TicketMessage is for a ticket of account, in the form that its hash is made of. The
// error is ErrTicket.
func TicketMessage(account common.Address, ticket []byte) (Message, error) {
	if !IsTicket(account, ticket) {
		return Message{}, ErrTicket
	}
	return hashed(ticket), nil
}

// JobMessage returns what a gateway signs (NodeSign) with a job of BYOC: its request and its parameters, one after the
// other. A client writes both, so that they must be JSON objects: no ticket, description or address is one. No
// parameters at all are taken too.
func JobMessage(account common.Address, request, parameters string) (Message, error) {
	text := []byte(request + parameters)
	if !isObject(request) || parameters != "" && !isObject(parameters) || IsTicket(account, text) {
		return Message{}, ErrJob
	}
	return hashed(text), nil
}

// isObject reports whether a text is a JSON object and nothing else.
func isObject(text string) bool {
	return strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") && printable([]byte(text)) &&
		json.Valid([]byte(text))
}

// TextMessage is for a text that the operator asked to have signed: one that people read. Bytes, bytes in hex
// and a remote signer's state are ErrText.
func TextMessage(text []byte) (Message, error) {
	if len(text) == 0 || len(text) == HashSize || !printable(text) || inHex(text) || signerState(text) {
		return Message{}, ErrText
	}
	return Message{bytes.Clone(text)}, nil
}

// printable reports text without control characters but those that lay it out.
func printable(b []byte) bool {
	return utf8.Valid(b) && !bytes.ContainsFunc(b, func(r rune) bool {
		return r < ' ' && !strings.ContainsRune("\t\r\n", r) || r == 0x7f
	})
}

// inHex reports text that is only bytes in hex, as many as an address has or more: an address, a hash, a
// ticket, call data, a transaction.
func inHex(text []byte) bool {
	digits := strings.ToLower(string(bytes.TrimSpace(text)))
	digits = strings.TrimPrefix(digits, "0x")
	_, err := hex.DecodeString(digits + strings.Repeat("0", len(digits)%2))
	return err == nil && len(digits) >= 2*common.AddressLength
}

// StateMessage is for the state that a remote signer hands out. The error is ErrState.
func StateMessage(state []byte) (Message, error) {
	if len(state) <= HashSize || !printable(state) || !signerState(state) {
		return Message{}, ErrState
	}
	return Message{bytes.Clone(state)}, nil
}

// signerState reports the state that the network's remote signer hands out and
// believes when it comes back with its signature.
func signerState(text []byte) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return false
	}
	for name := range fields {
		if strings.EqualFold(name, "StateID") {
			return true
		}
	}
	return false
}
