package azure

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"microblogging/storage/driver"
)

// An entity travels as a JSON object. Strings, truth values and 32-bit integers are
// plain JSON. Any other type is a string, and a second member names its type. As a
// JSON number, an int64 would be rounded ("Payload format for Table service
// operations").
const (
	typeSuffix   = "@odata.type"
	edmInt64     = "Edm.Int64"
	edmDateTime  = "Edm.DateTime"
	partitionKey = "PartitionKey"
	rowKey       = "RowKey"
	timestamp    = "Timestamp"
	odataPrefix  = "odata."
	odataETag    = "odata.etag"
	// dateTimeLayout has a digit for each tick of 100 ns.
	dateTimeLayout = "2006-01-02T15:04:05.0000000Z"
)

func encodeEntity(partition, row string, properties driver.Properties) ([]byte, error) {
	members := make(map[string]any, 2+2*len(properties))
	members[partitionKey], members[rowKey] = partition, row
	for _, p := range properties {
		switch v := p.Value; v.Kind() {
		case driver.KindString:
			members[p.Name] = v.Text()
		case driver.KindBoolean:
			members[p.Name] = v.Number() != 0
		case driver.KindInt64:
			members[p.Name] = strconv.FormatInt(v.Number(), 10)
			members[p.Name+typeSuffix] = edmInt64
		case driver.KindDateTime:
			members[p.Name] = v.Instant().Format(dateTimeLayout)
			members[p.Name+typeSuffix] = edmDateTime
		default:
			return nil, fmt.Errorf("property %s is of unknown kind %d", p.Name, v.Kind())
		}
	}
	return json.Marshal(members)
}

// decodeEntity reads a row. It leaves out the system's members, and properties that a
// driver.Value cannot hold (Double, Guid, Binary), which only another program can
// have written. So the row stays readable; a merge keeps them, a replace drops them.
// An Int32, as tools write it, becomes an Int64.
func decodeEntity(raw []byte) (driver.Entity, error) {
	var members map[string]any
	if err := json.Unmarshal(raw, &members); err != nil {
		return driver.Entity{}, fmt.Errorf("a row that is not JSON: %w", err)
	}
	var e driver.Entity
	for name, member := range members {
		switch {
		case name == partitionKey:
			e.Partition, _ = member.(string)
		case name == rowKey:
			e.Row, _ = member.(string)
		case name == odataETag:
			etag, _ := member.(string)
			e.ETag = driver.ETag(etag)
		case name == timestamp, strings.HasPrefix(name, odataPrefix), strings.HasSuffix(name, typeSuffix):
		default:
			edmType, _ := members[name+typeSuffix].(string)
			property, ok, err := decodeProperty(name, edmType, member)
			if err != nil {
				return driver.Entity{}, fmt.Errorf("property %s: %w", name, err)
			}
			if ok {
				e.Properties = append(e.Properties, property)
			}
		}
	}
	return e, nil
}

// decodeProperty returns false for a type that a driver.Value cannot hold.
func decodeProperty(name, edmType string, member any) (p driver.Property, ok bool, err error) {
	switch v := member.(type) {
	case bool:
		return driver.Bool(name, v), true, nil
	case float64:
		n := int32(v)
		return driver.Int64(name, int64(n)), float64(n) == v, nil
	case string:
		switch edmType {
		case "", "Edm.String":
			return driver.String(name, v), true, nil
		case edmInt64:
			n, err := strconv.ParseInt(v, 10, 64)
			return driver.Int64(name, n), true, err
		case edmDateTime:
			t, err := time.Parse(time.RFC3339Nano, v)
			return driver.Time(name, t), true, err
		}
	}
	return driver.Property{}, false, nil
}
