package orchestrate

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// Random bytes of session ids, written as hex. A client that knows a session's id can fetch its renditions, so that
// none can be guessed; the id of live work has another length than that of other sessions (see OwnSession). The short
// ids of earlier versions are valid until their tokens expire.
const (
	shortSessionIDBytes = 4
	sessionIDBytes      = 12
	liveSessionIDBytes  = 16
)

// maxExpiry is beyond every expiry that is issued; see mac.
const maxExpiry = 1 << 56

// Token authorizes a session: a gateway gets it with an offer and sends it with every
// segment.
type Token struct {
	// Code is opaque to gateways: a MAC over the other fields and the quote, followed by the
	// quote, which is empty off-chain.
	Code []byte
	// Session is the id under which the gateway's segments run.
	Session core.SessionID
	// Expires is in Unix seconds.
	Expires int64
}

// quote returns the part of the code after the MAC. The token must be genuine.
func (tok *Token) quote() []byte { return tok.Code[sha256.Size:] }

// Tokens issues and checks tokens with a secret, so that a token is valid at one node only.
type Tokens struct {
	secret pm.Secret
	rand   io.Reader
	now    func() time.Time
}

// NewTokens uses secret, or one from random when secret is zero: then no token outlives
// the process. The error is that of random.
func NewTokens(secret pm.Secret, random io.Reader, now func() time.Time) (*Tokens, error) {
	t := &Tokens{secret: secret, rand: random, now: now}
	if t.secret != (pm.Secret{}) {
		return t, nil
	}
	if _, err := io.ReadFull(random, t.secret[:]); err != nil {
		return nil, err
	}
	return t, nil
}

// Issue makes a token with a new session id, valid for TokenLife. quote is carried
// unchanged; empty off-chain.
func (t *Tokens) Issue(quote []byte) (Token, error) {
	return t.issue("", sessionIDBytes, quote)
}

// issueLive makes a token for live work, with the id of a session or a new one.
func (t *Tokens) issueLive(id core.SessionID, quote []byte) (Token, error) {
	return t.issue(id, liveSessionIDBytes, quote)
}

// issue makes a token; without an id it draws one of so many bytes.
func (t *Tokens) issue(id core.SessionID, size int, quote []byte) (Token, error) {
	if id == "" {
		random := make([]byte, size)
		if _, err := io.ReadFull(t.rand, random); err != nil {
			return Token{}, err
		}
		id = core.SessionID(hex.EncodeToString(random))
	}
	tok := Token{Session: id, Expires: t.now().Add(TokenLife).Unix()}
	tok.Code = append(t.mac(tok.Session, tok.Expires, quote), quote...)
	return tok, nil
}

// Check checks that tok was issued here and has not expired. nil is a missing token.
func (t *Tokens) Check(tok *Token) error {
	const op = "check auth token"
	switch {
	case tok == nil:
		return fault.New(fault.MissingAuthToken, op, "")
	case !t.Genuine(tok):
		return fault.New(fault.InvalidAuthToken, op, "")
	case t.now().Unix() > tok.Expires:
		return fault.New(fault.ExpiredAuthToken, op, "")
	}
	return nil
}

// Genuine reports whether tok was issued here, however long ago.
//
// The form of id and expiry is checked first, because the MAC covers the parts without
// separators: otherwise bytes could move from one part to the next.
func (t *Tokens) Genuine(tok *Token) bool {
	return tok != nil && validSessionID(string(tok.Session)) &&
		tok.Expires > 0 && tok.Expires < maxExpiry && len(tok.Code) >= sha256.Size &&
		hmac.Equal(tok.Code[:sha256.Size], t.mac(tok.Session, tok.Expires, tok.quote()))
}

// mac is HMAC-SHA256 over the id's characters, the expiry and the quote. Without a quote
// the expiry is big-endian without leading zero bytes; with a quote it has eight bytes, the
// first of which is 0, so that no token of one form is valid as the other. An id has one of three
// lengths; what follows a shorter one begins with a byte that is no hex digit, or is too short to be
// the rest of a longer one.
func (t *Tokens) mac(id core.SessionID, expires int64, quote []byte) []byte {
	m := hmac.New(sha256.New, t.secret[:])
	m.Write([]byte(id))
	if len(quote) == 0 {
		m.Write(big.NewInt(expires).Bytes())
		return m.Sum(nil)
	}
	var eight [8]byte
	binary.BigEndian.PutUint64(eight[:], uint64(expires))
	m.Write(eight[:])
	m.Write(quote)
	return m.Sum(nil)
}

// validSessionID reports whether id has the form of those issued here: 8, 24 or 32
// lowercase hex digits.
func validSessionID(id string) bool {
	switch len(id) {
	case 2 * shortSessionIDBytes, 2 * sessionIDBytes, 2 * liveSessionIDBytes:
	default:
		return false
	}
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
