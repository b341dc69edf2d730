package telemetry

import (
	"cmp"
	"net/http"
	"strconv"
	"time"
)

// Request implements web.Observer.
func (t *Telemetry) Request(r *http.Request, route string) func(status int) {
	began, method := time.Now(), methodLabel(r.Method)
	t.inFlight.Inc()
	return func(status int) {
		t.inFlight.Dec()
		name := cmp.Or(route, "none") // Prometheus takes an empty label for none
		t.requests.WithLabelValues(method, name, strconv.Itoa(status)).Inc()
		t.requestTime.WithLabelValues(method, name).Observe(time.Since(began).Seconds())
	}
}

// Cached implements web.Observer.
func (t *Telemetry) Cached(cache string, hit bool) {
	result := "miss"
	if hit {
		result = "hit"
	}
	t.lookups.WithLabelValues(cache, result).Inc()
}

// Stored implements web.Observer.
func (t *Telemetry) Stored(bytes int64) { t.stored.Add(float64(bytes)) }

// OverQuota implements web.Observer.
func (t *Telemetry) OverQuota(quota string) { t.overQuota.WithLabelValues(quota).Inc() }

// methodLabel bounds the methods, which clients can invent.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}
