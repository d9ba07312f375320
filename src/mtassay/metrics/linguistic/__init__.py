"""Metrics that compare trees and other annotations."""
