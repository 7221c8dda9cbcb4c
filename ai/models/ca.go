package models

import (
	"crypto/x509"
	"encoding/pem"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// Roots returns the certificates of an entry's CA.
func Roots(ca string) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM([]byte(ca))
	return pool
}

// Certificates returns the certificates of a PEM file, or what is wrong with it.
func Certificates(content []byte) (ca, wrong string) {
	var out strings.Builder
	for {
		var block *pem.Block
		block, content = pem.Decode(content)
		switch {
		case block == nil && out.Len() == 0:
			return "", "it has no certificate in PEM form"
		case block == nil:
			return out.String(), ""
		case block.Type != "CERTIFICATE":
			continue
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return "", "a certificate in it cannot be read"
		}
		out.Write(pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: block.Bytes}))
	}
}

func readCA(d *draft, v node) {
	if v.text == "" {
		return
	}
	content, wrong := d.l.readFile(v.text)
	if wrong == "" {
		d.entry.CA, wrong = Certificates(content)
	}
	if wrong != "" {
		d.reject(fault.ModelFieldInvalid, v, "ca", quoted(v.text)+": "+wrong,
			"write the path of a PEM file with the server's certificate or that of its authority")
	}
}

// finishCA drops certificates of a server that is not asked by TLS.
func (d *draft) finishCA() {
	if d.entry.CA != "" && strings.HasPrefix(d.entry.URL, "http://") {
		d.noticeUnused("has no effect on a url that begins with http://", "ca")
		d.entry.CA = ""
	}
}
