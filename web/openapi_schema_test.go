package web_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// validate checks a value against a JSON schema. It knows the keywords that the
// description uses, and reports any other keyword.
func (o *openAPI) validate(at string, node, value any) (wrong []string) {
	schema := o.resolve(node)
	if types, ok := schema["type"]; ok && !hasType(types, value) {
		return []string{fmt.Sprintf("%s is %v, want %v", at, value, types)}
	}
	for keyword, rule := range schema {
		var holds bool
		switch keyword {
		case "type", "description", "format", "default", "required", "additionalProperties":
			continue
		case "properties":
			wrong = append(wrong, o.validateObject(at, schema, value)...)
			continue
		case "items":
			for i, item := range value.([]any) {
				wrong = append(wrong, o.validate(fmt.Sprintf("%s.%d", at, i), rule, item)...)
			}
			continue
		case "enum":
			holds = slices.Contains(rule.([]any), value)
		case "maxItems":
			holds = len(value.([]any)) <= int(rule.(float64))
		case "minimum":
			holds = value.(float64) >= rule.(float64)
		case "maximum":
			holds = value.(float64) <= rule.(float64)
		case "pattern", "minLength", "maxLength":
			holds = textHolds(keyword, rule, value)
		}
		if !holds {
			wrong = append(wrong, fmt.Sprintf("%s: %v breaks %s %v", at, value, keyword, rule))
		}
	}
	return wrong
}

func textHolds(keyword string, rule, value any) bool {
	text, ok := value.(string)
	if !ok {
		return true // these keywords apply to strings only
	}
	switch keyword {
	case "pattern":
		return regexp.MustCompile(rule.(string)).MatchString(text)
	case "minLength":
		return utf8.RuneCountInString(text) >= int(rule.(float64))
	default:
		return utf8.RuneCountInString(text) <= int(rule.(float64))
	}
}

func (o *openAPI) validateObject(at string, schema map[string]any, value any) (wrong []string) {
	object := value.(map[string]any)
	properties := schema["properties"].(map[string]any)
	for _, name := range schema["required"].([]any) {
		if _, there := object[name.(string)]; !there {
			wrong = append(wrong, fmt.Sprintf("%s.%s is missing", at, name))
		}
	}
	for name, member := range object {
		if properties[name] == nil {
			wrong = append(wrong, fmt.Sprintf("%s.%s is not documented", at, name))
			continue
		}
		wrong = append(wrong, o.validate(at+"."+name, properties[name], member)...)
	}
	return wrong
}

func hasType(types, value any) bool {
	if several, ok := types.([]any); ok {
		return slices.ContainsFunc(several, func(one any) bool { return hasType(one, value) })
	}
	switch v := value.(type) {
	case nil:
		return types == "null"
	case string:
		return types == "string"
	case float64:
		return types == "number" || types == "integer" && v == math.Trunc(v)
	case []any:
		return types == "array"
	case map[string]any:
		return types == "object"
	}
	return false
}

// dig returns the value at a path of members and indexes, or nil.
func dig(value any, path string) any {
	for _, step := range strings.Split(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}
