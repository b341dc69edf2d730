package metrics

import (
	"context"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"microblogging/storage/azure"
)

// azureMetrics counts what the Azure SDK sends.
type azureMetrics struct {
	tries     *prometheus.CounterVec
	retries   prometheus.Counter
	throttled prometheus.Counter
}

// Tries returns what observes the tries of the Azure SDK. It is called once, and only if
// the store is Azure's.
func (m *Metrics) Tries() func(context.Context, azure.Try) {
	r := m.registry
	m.azure = azureMetrics{
		tries: counter(r, "azure_tries_total", "Requests that the Azure SDK has sent, by the status of the answer, or none.",
			[]string{"status"}),
		retries:   counter(r, "azure_retries_total", "Requests that the Azure SDK has sent again.", nil).WithLabelValues(),
		throttled: counter(r, "azure_throttled_total", "Requests that Azure has refused because there are too many: status 503 or 429.", nil).WithLabelValues(),
	}
	return m.azure.tried
}

func (a *azureMetrics) tried(_ context.Context, try azure.Try) {
	status := "none"
	if try.Status != 0 {
		status = strconv.Itoa(try.Status)
	}
	a.tries.WithLabelValues(status).Inc()
	if try.Number > 1 {
		a.retries.Inc()
	}
	if try.Throttled() {
		a.throttled.Inc()
	}
}
