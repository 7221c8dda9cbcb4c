package orchestrate

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// sessionIDBytes is the random part of a session id, written as hex.
const sessionIDBytes = 4

// Token is what opens a session: a gateway gets it with an offer and shows it
// with every segment.
type Token struct {
	// MAC binds the two other fields to this process.
	MAC []byte
	// Session is the id under which the gateway's segments run.
	Session core.SessionID
	// Expires is in Unix seconds.
	Expires int64
}

// Tokens issues and checks tokens with a secret of its own, so that a token is
// good for exactly one process.
type Tokens struct {
	secret [sha256.Size]byte
	rand   io.Reader
	now    func() time.Time
}

// NewTokens draws a secret from random. It fails when random does.
func NewTokens(random io.Reader, now func() time.Time) (*Tokens, error) {
	t := &Tokens{rand: random, now: now}
	if _, err := io.ReadFull(random, t.secret[:]); err != nil {
		return nil, err
	}
	return t, nil
}

// Issue makes a token with a fresh session id, good for TokenLife.
func (t *Tokens) Issue() (Token, error) {
	var id [sessionIDBytes]byte
	if _, err := io.ReadFull(t.rand, id[:]); err != nil {
		return Token{}, err
	}
	tok := Token{
		Session: core.SessionID(hex.EncodeToString(id[:])),
		Expires: t.now().Add(TokenLife).Unix(),
	}
	tok.MAC = t.mac(tok.Session, tok.Expires)
	return tok, nil
}

// Check says whether tok was issued here and is still good. A nil token is one
// that did not come.
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
// The id's form is checked before the code: the code covers id and expiry
// without a mark between them, so that one could be lengthened at the cost of
// the other.
func (t *Tokens) Genuine(tok *Token) bool {
	return tok != nil && validSessionID(string(tok.Session)) && tok.Expires > 0 &&
		hmac.Equal(tok.MAC, t.mac(tok.Session, tok.Expires))
}

// mac is HMAC-SHA256 over the id's characters and the expiry as a big-endian
// number without leading zero bytes.
func (t *Tokens) mac(id core.SessionID, expires int64) []byte {
	m := hmac.New(sha256.New, t.secret[:])
	m.Write([]byte(id))
	m.Write(big.NewInt(expires).Bytes())
	return m.Sum(nil)
}

// validSessionID reports whether id has the form of those issued here: 8
// lowercase hex digits.
func validSessionID(id string) bool {
	if len(id) != 2*sessionIDBytes {
		return false
	}
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
