package orchestrator

import "testing"

// FuzzAnswer reads answers of all kinds: a price is one that can be computed with.
func FuzzAnswer(f *testing.F) {
	for _, text := range []string{"", "{}", "null", "[]", `{"priceInfo":null}`, `{"priceInfo":{}}`,
		`{"priceInfo":{"pricePerUnit":7,"pixelsPerUnit":2}}`, `{"priceInfo":{"pricePerUnit":"7","pixelsPerUnit":"2"}}`,
		`{"priceInfo":{"pricePerUnit":1e9,"pixelsPerUnit":1}}`, `{"priceInfo":{"pricePerUnit":1e999999,"pixelsPerUnit":1}}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		price, err := parseHookAnswer(data)
		if err != nil || price == nil {
			return
		}
		if wei, ok := price.WeiPerPixel(); !ok || wei.Sign() < 0 || price.PixelsPerUnit < 1 {
			t.Errorf("%q: %v", data, price)
		}
	})
}
