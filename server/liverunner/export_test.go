package liverunner

// ProxyURL is the proxy URL of an id by a form.
func ProxyURL(form, service, id string) (string, error) {
	f, err := parseProxyForm(form, service)
	if err != nil {
		return "", err
	}
	return f.url(id), nil
}
