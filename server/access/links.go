package access

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/privatefile"
)

// How long a signed address may be good for.
const (
	DefaultLifetime = 6 * time.Hour
	MaxLifetime     = 7 * 24 * time.Hour
)

// KeyFile is the name of the file with the secret of signed addresses, in the data
// directory. Gateways with the same file take one another's addresses.
const KeyFile = "playback.key"

// Links signs addresses of streams and checks them.
type Links struct{ secret privatefile.Secret }

// OpenLinks reads the secret from a data directory, and makes one where there is none.
// Errors are faults SecretFileDamaged and DataDirUnusable.
func OpenLinks(dir string, random io.Reader) (*Links, error) {
	secret, err := privatefile.OpenSecret(filepath.Join(dir, KeyFile), random)
	if err != nil {
		code := fault.DataDirUnusable
		if errors.Is(err, privatefile.ErrDamaged) {
			code = fault.SecretFileDamaged
		}
		return nil, &fault.Fault{Code: code, Op: "open the secret of signed addresses", Detail: err.Error(), Err: err}
	}
	return &Links{secret}, nil
}

// link is what a signed address has in its query.
type link struct {
	expires   int64
	signature string
	// bad: the query has them in a form that is never signed.
	bad bool
}

const (
	expiresParam   = "expires"
	signatureParam = "signature"
)

// linkOf reads a query; ok says that it has a part of a signed address.
func linkOf(raw string) (l link, ok bool) {
	q, err := url.ParseQuery(raw)
	expires, signature := q[expiresParam], q[signatureParam]
	if len(expires)+len(signature) == 0 {
		return link{}, false
	}
	if err != nil || len(expires) != 1 || len(signature) != 1 {
		return link{bad: true}, true
	}
	at, err := strconv.ParseInt(expires[0], 10, 64)
	// One text for one number, so that what is added to playlists is what was signed.
	return link{expires: at, signature: signature[0], bad: err != nil || strconv.FormatInt(at, 10) != expires[0]}, true
}

func (l link) query() string {
	return expiresParam + "=" + strconv.FormatInt(l.expires, 10) + "&" + signatureParam + "=" + l.signature
}

// sign makes a signed address's query.
func (l *Links) sign(id core.ManifestID, expires time.Time) link {
	return link{expires: expires.Unix(), signature: l.mac(id, expires.Unix())}
}

// mac returns the signature: a stream's name has no line breaks, so that no two streams and
// times have the same text.
func (l *Links) mac(id core.ManifestID, expires int64) string {
	h := hmac.New(sha256.New, l.secret[:])
	fmt.Fprintf(h, "tutti playback\n%s\n%d", id, expires)
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// check says why a signed address is no good. The time counts only where the signature
// is right.
func (l *Links) check(id core.ManifestID, given link, now time.Time) error {
	const op = "check a signed address"
	if l == nil || given.bad || !hmac.Equal([]byte(given.signature), []byte(l.mac(id, given.expires))) {
		return fault.New(fault.PlaybackRefused, op, "the signature is not this gateway's for this stream and time")
	}
	if now.Unix() >= given.expires {
		return fault.New(fault.PlaybackExpired, op, "the address was good until "+time.Unix(given.expires,
			0).UTC().Format(time.RFC3339))
	}
	return nil
}
