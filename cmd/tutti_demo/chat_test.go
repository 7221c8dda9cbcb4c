package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A gateway sees its new deposit a moment after the transaction: the first request may come too soon.
func TestChatWaitsForTheFunds(t *testing.T) {
	t.Parallel()
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked < 3 {
			http.Error(w, `{"error":{"message":"no reserve","code":"OwnReserveEmpty"}}`, http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\ndata: [DONE]\n\n")
	}))
	defer s.Close()
	text, err := chat(t.Context(), s.Client(), s.URL, "m", 1)
	if err != nil || text != "hi" || asked != 3 {
		t.Errorf("%q, %v, asked %d times", text, err, asked)
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"code":"NoSessionsAvailable"}}`, http.StatusServiceUnavailable)
	}))
	defer other.Close()
	if _, err := chat(t.Context(), other.Client(), other.URL, "m", 1); err == nil ||
		!strings.Contains(err.Error(), "NoSessionsAvailable") {
		t.Error(err)
	}
}
