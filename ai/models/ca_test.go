package models_test

import (
	"encoding/pem"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/ai/models"
)

// TestCA: the certificates of an entry's file are part of the entry, so that a reload sees that they have changed.
// A file without any is refused by name, and certificates that could do nothing are named.
func TestCA(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(nil)
	s.Close()
	good := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	key := "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n"
	broken := "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
	disk := map[string]string{"/good.pem": "a comment\n" + key + good, "/key.pem": key, "/broken.pem": broken}
	for _, tt := range []struct{ name, fields, ca, problem, notice string }{
		{"good", `"url": "https://host", "ca": "/good.pem"`, good, "", ""},
		{"left out", `"url": "https://host", "ca": ""`, "", "", ""},
		{"no TLS", `"url": "http://host", "ca": "/good.pem"`, "", "", "no effect on a url that begins with http://"},
		{"no url", `"ca": "/good.pem"`, "", "", "no effect without url"},
		{"missing", `"url": "https://host", "ca": "/none.pem"`, "", `"/none.pem": there is no such file`, ""},
		{"a key", `"url": "https://host", "ca": "/key.pem"`, "", "it has no certificate in PEM form", ""},
		{"broken", `"url": "https://host", "ca": "/broken.pem"`, "", "a certificate in it cannot be read", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, notices, err := models.Load(models.Options{Offchain: true, ReadFile: files(disk),
				Value: `[{"pipeline": "llm", "model_id": "google/gemma-2-9b-it", "warm": true, "price_per_unit": 1,
				"pixels_per_unit": 1, ` + tt.fields + `}]`})
			if tt.problem != "" {
				if err == nil || !strings.Contains(err.Error(), tt.problem) || !c.Empty() {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || c.Entries[0].CA != tt.ca {
				t.Errorf("%v, %q", err, c.Entries[0].CA)
			}
			if len(notices) > 1 || len(notices) == 1 != (tt.notice != "") ||
				tt.notice != "" && !strings.Contains(notices[0].Text, tt.notice) {
				t.Errorf("notices %v", notices)
			}
		})
	}
}
